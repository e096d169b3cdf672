using System;
using System.IO;
using BigPile.Memory;

namespace BigPile.Files;

/// <summary>Options for opening a block file, and for its growth.</summary>
public sealed record BlockFileOptions
{
    /// <summary>Open the file read-only, which any number of processes may do at a time. It must exist.</summary>
    public bool ReadOnly { get; init; }

    /// <summary>
    /// <see cref="FileMode.OpenOrCreate"/> by default; or <see cref="FileMode.Open"/>, or <see cref="FileMode.Create"/>, which empties a
    /// file that exists, once it is locked.
    /// </summary>
    public FileMode Mode { get; init; } = FileMode.OpenOrCreate;

    /// <summary>The space that is allocated at the first write, in bytes: 1 MiB by default.</summary>
    public long InitialSize { get; init; } = 1 << 20;

    /// <summary>
    /// The factor by which the allocated space grows when it is full: 2 by default, from 1. At most 256 MiB are allocated in advance.
    /// </summary>
    public double GrowthFactor { get; init; } = 2;

    /// <summary>The maximum size in bytes; unlimited by default.</summary>
    public long MaxSize { get; init; } = long.MaxValue;

    /// <summary>Called before each file operation; tests make operations fail here.</summary>
    internal IFileHook? Hook { get; init; }

    /// <summary>
    /// The address space that a mapped file reserves when it is opened, in bytes, so that it can grow in place. With 0, and where the
    /// system cannot reserve, each growth maps the file anew. Only tests change the default.
    /// </summary>
    internal long AddressBytes { get; init; } = (long)Math.Min((ulong)nuint.MaxValue >> 26, 64UL << 30);

    /// <summary>Whether memory stays mapped until concurrent readers have left it. Tests turn this off to see the failure.</summary>
    internal bool WaitsForReaders { get; init; } = true;

    internal void Validate()
    {
        if (Mode is not (FileMode.Open or FileMode.OpenOrCreate or FileMode.Create))
            throw new ArgumentException("A block file is opened with FileMode.Open, OpenOrCreate or Create.", "options");
        if (ReadOnly && Mode == FileMode.Create)
            throw new ArgumentException("A file that is opened for reading only can't be made: open it for writing once.", "options");
        if (InitialSize < 0)
            throw new ArgumentException($"BlockFileOptions.InitialSize is {InitialSize:N0}: give it a size from 0.", "options");
        if (!(GrowthFactor >= 1) || !double.IsFinite(GrowthFactor))
            throw new ArgumentException($"BlockFileOptions.GrowthFactor is {GrowthFactor}: give it a factor from 1.", "options");
        if (MaxSize < 0)
            throw new ArgumentException($"BlockFileOptions.MaxSize is {MaxSize:N0}: give it a size from 0.", "options");
    }
}
