using System;
using System.Numerics;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;

namespace BigPile.Ports;

/// <summary>How an arena is made, and where. Who opens one that is there takes its sizes as they are.</summary>
public sealed record SharedArenaOptions
{
    internal static readonly TimeSpan DefaultControlTimeout = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan MaxSpin = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The directory of the arena's two files, which is made if it is not there, and must be closed to other users; by default one of the
    /// user's own below <c>/dev/shm</c>, or on Windows below the user's local data. On a disk the arena is as fast, but for what the system
    /// writes there.
    /// </summary>
    public string? Directory { get; init; }

    /// <summary>The bytes for objects: 64 MiB by default, from one granule. All of it is taken from memory at once.</summary>
    public long CapacityBytes { get; init; } = 64L << 20;

    /// <summary>The unit in which objects are given memory: 4,096 bytes by default, a power of two from 64 to 1,048,576.</summary>
    /// <remarks>Each granule costs 32 bytes more, and the making of an object some nanoseconds for each of its granules.</remarks>
    public int GranuleBytes { get; init; } = 4096;

    /// <summary>How many ports there may be at one time: 256 by default, from 1 to 4,096.</summary>
    public int MaxPorts { get; init; } = 256;

    /// <summary>How many multicast ports there may be at one time: 16 by default, from 0 to 4,096.</summary>
    /// <remarks>Each costs about 4.5 KB, and as each other port 16 bytes for each of <see cref="MaxDepth"/>.</remarks>
    public int MaxMulticastPorts { get; init; } = 16;

    /// <summary>The most objects that may be on the way in a port: 256 by default, from 1 to 65,536; a power of two.</summary>
    public int MaxDepth { get; init; } = 256;

    /// <summary>Have all pages be there from the start, so that no first use is slow; it takes about 0.2 ms a MiB. On by default.</summary>
    public bool Populate { get; init; } = true;

    /// <summary>How long a wait looks again and again before it sleeps: 50 microseconds by default, at most a second, or 0.</summary>
    /// <remarks>Waits sleep at once while looking has been in vain, as where all processors are busy, and on a machine of one.</remarks>
    public TimeSpan Spin { get; init; } = TimeSpan.FromMicroseconds(50);

    /// <summary>Is told of steps; how tests hold processes up and kill them.</summary>
    internal PortTestHooks TestHooks { get; init; } = new(null, PortMutation.None);

    /// <summary>How long opening and closing wait for another process that has the control lock and does not go on.</summary>
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
