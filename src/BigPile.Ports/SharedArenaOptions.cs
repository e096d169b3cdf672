using System;
using System.Numerics;
using BigPile.Ports.Layout;

namespace BigPile.Ports;

/// <summary>Options for creating and opening an arena. An existing arena keeps its sizes.</summary>
public sealed record SharedArenaOptions
{
    internal static readonly TimeSpan DefaultControlTimeout = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan MaxSpin = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The directory of the arena's two files, which is created if it does not exist, and must be closed to other users. By default a
    /// directory of the user below <c>/dev/shm</c>, or on Windows below the user's local data. On a disk the arena is as fast, except for
    /// what the system writes back.
    /// </summary>
    public string? Directory { get; init; }

    /// <summary>The capacity for objects in bytes: 64 MiB by default, at least one granule. All of it is allocated at once.</summary>
    public long CapacityBytes { get; init; } = 64L << 20;

    /// <summary>The allocation unit in bytes: 4,096 by default, a power of two from 64 to 1,048,576.</summary>
    /// <remarks>Each granule costs 32 more bytes, and each allocation some nanoseconds per granule.</remarks>
    public int GranuleBytes { get; init; } = 4096;

    /// <summary>The greatest number of ports: 256 by default, from 1 to 4,096.</summary>
    public int MaxPorts { get; init; } = 256;

    /// <summary>The greatest number of multicast ports: 16 by default, from 0 to 4,096.</summary>
    /// <remarks>Each costs about 4.5 KB, and, as every port, 16 bytes per object of <see cref="MaxDepth"/>.</remarks>
    public int MaxMulticastPorts { get; init; } = 16;

    /// <summary>The greatest number of objects in flight in a port: 256 by default, a power of two from 1 to 65,536.</summary>
    public int MaxDepth { get; init; } = 256;

    /// <summary>
    /// Whether to allocate all pages when the arena is opened, so that no first use is slow; takes about 0.2 ms per MiB. On by default.
    /// </summary>
    public bool Populate { get; init; } = true;

    /// <summary>How long a wait spins before it sleeps: 50 microseconds by default, from 0 to a second.</summary>
    /// <remarks>
    /// Waits sleep at once while spinning has been in vain, as when all processors are busy, and on a machine with one processor.
    /// </remarks>
    public TimeSpan Spin { get; init; } = TimeSpan.FromMicroseconds(50);

    /// <summary>How long opening and closing wait for a process that holds the control lock and makes no progress.</summary>
    internal TimeSpan ControlTimeout { get; init; } = DefaultControlTimeout;

    internal ArenaShape ToShape()
    {
        if (Directory?.Length == 0)
            throw new ArgumentException("SharedArenaOptions.Directory is empty: give it a path, or null for the default.", "options");
        Check(CapacityBytes >= 1, nameof(CapacityBytes), CapacityBytes, "a number from 1");
        Check(IsPowerWithin(GranuleBytes, ArenaShape.MinGranuleBytes, ArenaShape.MaxGranuleBytes), nameof(GranuleBytes), GranuleBytes,
            "a power of two from 64 to 1,048,576");
        Check(MaxPorts is >= 1 and <= (int)ArenaShape.MaxPorts, nameof(MaxPorts), MaxPorts, "a number from 1 to 4,096");
        Check(MaxMulticastPorts is >= 0 and <= (int)ArenaShape.MaxPorts, nameof(MaxMulticastPorts), MaxMulticastPorts,
            "a number from 0 to 4,096");
        Check(IsPowerWithin(MaxDepth, 1, ArenaShape.MaxDepth), nameof(MaxDepth), MaxDepth, "a power of two from 1 to 65,536");
        Check(Spin >= TimeSpan.Zero && Spin <= MaxSpin, nameof(Spin), Spin.Ticks, "a time from zero to one second");
        long granules = (CapacityBytes - 1) / GranuleBytes + 1;
        Check(granules <= ArenaShape.MaxGranules, nameof(CapacityBytes), CapacityBytes,
            $"at most {ArenaShape.MaxGranules:N0} granules, or larger granules");
        Check(granules * GranuleBytes < ChecksummedLength.MaxBytes, nameof(CapacityBytes), CapacityBytes, "less than 1 TiB");
        return new ArenaShape(GranuleBytes, granules, MaxPorts, MaxDepth, MaxMulticastPorts);
    }

    private static bool IsPowerWithin(long value, long least, long most) => value >= least && value <= most && BitOperations.IsPow2(value);

    private static void Check(bool isMet, string name, long value, string remedy)
    {
        if (!isMet)
            throw new ArgumentException($"SharedArenaOptions.{name} is {value:N0}: give it {remedy}.", "options");
    }
}
