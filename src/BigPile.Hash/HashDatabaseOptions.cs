using System;
using System.IO;
using BigPile.Files;
using BigPile.Memory;

namespace BigPile.Hash;

/// <summary>How a hash database is opened.</summary>
public sealed record HashDatabaseOptions
{
    /// <summary>The longest key that there can be.</summary>
    public const int LongestKey = ushort.MaxValue;

    /// <summary>The longest value that there can be.</summary>
    public const int LongestValue = 1 << 30;

    private const int BytesPerRecovered = 64;

    /// <summary>How the file's bytes are got at; <see cref="BlockFileKind.MappedParallel"/> by default. Any kind opens any.</summary>
    public BlockFileKind FileKind { get; init; } = BlockFileKind.MappedParallel;

    /// <summary>
    /// Open the database for reading only, as any number of processes may at one time. It must exist, and not have been left by a kill
    /// of which something is to be mended.
    /// </summary>
    public bool ReadOnly { get; init; }

    /// <summary>What is done with a database that is damaged; the default refuses one that was closed, and changes nothing of it.</summary>
    public HashRestoreMode Restore { get; init; }

    /// <summary>
    /// <see cref="FileMode.OpenOrCreate"/> by default; or <see cref="FileMode.Open"/>, or <see cref="FileMode.Create"/>, which empties a
    /// database that exists, once it is locked.
    /// </summary>
    public FileMode Mode { get; init; } = FileMode.OpenOrCreate;

    /// <summary>What a new database is made with. One that exists has its own; only a rebuild changes that.</summary>
    public HashTuning Tuning { get; init; } = new();

    /// <summary>What becomes of room that is not needed any more.</summary>
    public HashUpdateMode UpdateMode { get; init; }

    /// <summary>The longest key that is stored, in bytes: from 0 to <see cref="LongestKey"/>, the default.</summary>
    public int MaxKeyLength { get; init; } = LongestKey;

    /// <summary>The longest value that is stored, in bytes: from 0 to <see cref="LongestValue"/>, the default.</summary>
    public int MaxValueLength { get; init; } = LongestValue;

    /// <summary>The size that the file may have, in bytes: as much as the disk has room for by default.</summary>
    public long MaxFileSize { get; init; } = long.MaxValue;

    /// <summary>Is told of each operation on the file; how tests let them fail.</summary>
    internal IFileHook? Hook { get; init; }

    /// <summary>The number of this start of the machine, where tests have another one.</summary>
    internal Guid? BootId { get; init; }

    /// <summary>Is called between two stores; where tests kill the process.</summary>
    internal Action<HashCrashPoint>? CrashPoint { get; init; }

    /// <summary>A wrong way to store; controls of tests, which must notice it.</summary>
    internal HashMutation Mutation { get; init; }

    /// <summary>How many records a recovery has in memory at a time: what a sixteenth of the memory holds that there is.</summary>
    internal int MaxRecoveredAtOnce { get; init; } =
        (int)Math.Clamp(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 16 / BytesPerRecovered, 1 << 20, 1 << 26);

    /// <summary>Whether nothing is to be written.</summary>
    internal bool IsReadOnly => ReadOnly || Restore == HashRestoreMode.ReadOnly;

    internal void Validate()
    {
        _ = BlockFile.NameOf(FileKind);
        if (Mode is not (FileMode.Open or FileMode.OpenOrCreate or FileMode.Create))
            throw new ArgumentException("A hash database is opened with FileMode.Open, OpenOrCreate or Create.", "options");
        if (Restore is not (HashRestoreMode.Default or HashRestoreMode.ReadOnly or HashRestoreMode.AsFarAsSound))
            throw new ArgumentException($"HashDatabaseOptions.Restore is {Restore}: give it a HashRestoreMode.", "options");
        if (ReadOnly && Restore == HashRestoreMode.AsFarAsSound)
            throw new ArgumentException("To restore a database is to write it: open it without HashDatabaseOptions.ReadOnly.", "options");
        if (IsReadOnly && Mode == FileMode.Create)
            throw new ArgumentException("A database that is opened for reading only can't be made: open it for writing once.", "options");
        if (Tuning == null)
            throw new ArgumentException("HashDatabaseOptions.Tuning is null: give it a HashTuning, or leave it as it is.", "options");
        if (UpdateMode is not (HashUpdateMode.InPlace or HashUpdateMode.Appending))
            throw new ArgumentException($"HashDatabaseOptions.UpdateMode is {UpdateMode}: give it InPlace or Appending.", "options");
        CheckLimit(nameof(MaxKeyLength), MaxKeyLength, LongestKey);
        CheckLimit(nameof(MaxValueLength), MaxValueLength, LongestValue);
        if (MaxFileSize < 0)
            throw new ArgumentException($"HashDatabaseOptions.MaxFileSize is {MaxFileSize:N0}: give it a size from 0.", "options");
    }

    private static void CheckLimit(string name, int value, int longest)
    {
        if (value < 0 || value > longest)
            throw new ArgumentException($"HashDatabaseOptions.{name} is {value:N0}: give it a length from 0 to {longest:N0}.", "options");
    }
}
