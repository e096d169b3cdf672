using System;
using System.IO;
using BigPile.Files;
using BigPile.Memory;

namespace BigPile.Hash;

/// <summary>Options for opening a hash database.</summary>
public sealed record HashDatabaseOptions
{
    /// <summary>The greatest possible length of a key, in bytes.</summary>
    public const int LongestKey = ushort.MaxValue;

    /// <summary>The greatest possible length of a value, in bytes.</summary>
    public const int LongestValue = 1 << 30;

    private const int BytesPerRecovered = 64;

    /// <summary>How the file is accessed; <see cref="BlockFileKind.MappedParallel"/> by default. Any kind opens any database.</summary>
    public BlockFileKind FileKind { get; init; } = BlockFileKind.MappedParallel;

    /// <summary>
    /// Open the database read-only, which any number of processes may do at a time. It must exist, and must not need recovery.
    /// </summary>
    public bool ReadOnly { get; init; }

    /// <summary>How to open a damaged database. By default a closed one that is damaged is refused, and not changed.</summary>
    public HashRestoreMode Restore { get; init; }

    /// <summary>
    /// <see cref="FileMode.OpenOrCreate"/> by default; or <see cref="FileMode.Open"/>, or <see cref="FileMode.Create"/>, which empties a
    /// database that exists, once it is locked.
    /// </summary>
    public FileMode Mode { get; init; } = FileMode.OpenOrCreate;

    /// <summary>
    /// Whether nobody needs the database after the process: making and rebuilding it does not wait for the device, so after a power cut it
    /// may be damaged. <see langword="false"/> by default.
    /// </summary>
    public bool Temporary { get; init; }

    /// <summary>The tuning of a new database. An existing one keeps its own until it is rebuilt.</summary>
    public HashTuning Tuning { get; init; } = new();

    /// <summary>Whether the space of dead records is reused.</summary>
    public HashUpdateMode UpdateMode { get; init; }

    /// <summary>The longest key that is stored, in bytes: from 0 to <see cref="LongestKey"/>, the default.</summary>
    public int MaxKeyLength { get; init; } = LongestKey;

    /// <summary>The longest value that is stored, in bytes: from 0 to <see cref="LongestValue"/>, the default.</summary>
    public int MaxValueLength { get; init; } = LongestValue;

    /// <summary>The maximum size of the file in bytes; unlimited by default.</summary>
    public long MaxFileSize { get; init; } = long.MaxValue;

    /// <summary>Called before each file operation; tests make operations fail here.</summary>
    internal IFileHook? Hook { get; init; }

    /// <summary>Replaces the boot identifier in tests.</summary>
    internal Guid? BootId { get; init; }

    /// <summary>How many records a recovery holds in memory at a time: a sixteenth of the available memory.</summary>
    internal int MaxRecoveredAtOnce { get; init; } =
        (int)Math.Clamp(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 16 / BytesPerRecovered, 1 << 20, 1 << 26);

    /// <summary>Whether the file must not be written.</summary>
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
