using System;
using System.IO;
using BigPile.Memory;

namespace BigPile.Files;

/// <summary>How a block file is opened, and how it grows.</summary>
public sealed record BlockFileOptions
{
    /// <summary>Open the file for reading only, as any number of processes may at one time. It must exist.</summary>
    public bool ReadOnly { get; init; }

    /// <summary>
    /// <see cref="FileMode.OpenOrCreate"/> by default; or <see cref="FileMode.Open"/>, or <see cref="FileMode.Create"/>, which empties a
    /// file that exists, once it is locked.
    /// </summary>
    public FileMode Mode { get; init; } = FileMode.OpenOrCreate;

    /// <summary>The room that the file takes from the disk at its first write: 1 MiB by default.</summary>
    public long InitialSize { get; init; } = 1 << 20;

    /// <summary>How many times its room a file takes when that is full: 2 by default, from 1. It never takes over 256 MiB ahead.</summary>
    public double GrowthFactor { get; init; } = 2;

    /// <summary>The size that the file may have: as much as the disk has room for by default.</summary>
    public long MaxSize { get; init; } = long.MaxValue;

    /// <summary>Is told of each operation on the file; how tests let them fail.</summary>
    internal IFileHook? Hook { get; init; }

    /// <summary>
    /// How much of the address space a mapped file takes from the start, so that it need not move when it grows; 0, as where the system
    /// can't, has it move each time. Other values than the default are for tests.
    /// </summary>
    internal long AddressBytes { get; init; } = (long)Math.Min((ulong)nuint.MaxValue >> 26, 64UL << 30);

    /// <summary>Whether memory that others may be reading is kept until they have left; a control of tests takes that away.</summary>
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
