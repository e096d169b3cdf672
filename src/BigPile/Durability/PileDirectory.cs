using System;
using System.Diagnostics;
using System.IO;
using BigPile.Catalog;
using BigPile.Layout;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile.Durability;

/// <summary>
/// The directory of a mapped pile, opened for writing or only for reading: its lock, its file names, and the files that are opened first.
/// </summary>
/// <remarks>
/// The pile's state as a whole, and its changes, are in <see cref="Durability.Superblock"/>. Thread safety: all members may be called
/// concurrently.
/// </remarks>
internal sealed class PileDirectory : IDisposable
{
    internal const string SuperblockName = "superblock";
    internal const string CatalogName = "catalog";

    private readonly DirectoryLock? _owner; // null of a reader
    private readonly Action<string>? _syncing; // a test's; told of each sync
    private readonly Action<string>? _synced; // the same, behind it

    private PileDirectory(HeldDirectory files, DirectoryLock? owner, PileOptions options, ILogger logger, bool reportsCatalog)
    {
        Debug.Assert((owner == null) == options.ReadOnly, "Only a reader has no lock.");
        Files = files;
        _owner = owner;
        IsReadOnly = owner == null;
        _syncing = options.Syncing;
        _synced = options.Synced;
        Guid bootId = options.BootId ?? BootClock.Current;
        // before the superblock is read: an owner that ends in between closes the pile
        IsBeingWritten = IsReadOnly && DirectoryLock.HasLiveOwner(files);
        SuperblockFile? superblock = SuperblockFile.TryOpen(files, SuperblockName, IsReadOnly);
        try
        {
            IsNew = superblock == null;
            if (IsNew)
                DirectoryCheck.RefuseLeftovers(files);
            if (IsNew && IsReadOnly)
                throw DirectoryCheck.Missing(files.Path);
            SuperblockState state = superblock?.Read(Faults) ?? CreateState(options, bootId);
            CheckState(state, options.UpgradeFormat);
            CheckShared(state, options, bootId);
            LastShutdown = new LastShutdown(
                state, IsNew, bootId,
                isCopied: owner != null ? InUseMark.IsCopied(owner.File) : !IsBeingWritten && InUseMark.IsCopied(files));
            if (LastShutdown.IsCopy)
                Faults.Add(new PileFault(files.Path, InUseMark.Fault, 0));
            // an owner may have opened it meanwhile
            IsBeingWritten |= IsReadOnly && !LastShutdown.WasClean && DirectoryLock.HasLiveOwner(files);
            SyncRecord = owner == null || files.IsVolatile ? null : new SyncRecord(owner.File);
            Catalog = OpenCatalog(state, superblock, logger, reportsCatalog);
            superblock ??= SuperblockFile.Create(files, SuperblockName, state); // behind the catalog: it proves that there is one
            Superblock = new Superblock(this, superblock, state, bootId);
            if (!IsReadOnly && state.Format != SuperblockState.CurrentFormat)
                StateCurrentFormat(state.Format, logger);
        }
        catch
        {
            Catalog?.Dispose();
            superblock?.Dispose();
            throw;
        }
        if (IsNew)
            OnSynced(PathOf(SuperblockName));
        Segments = new MappedSegmentStore(this);
    }

    internal string Path => Files.Path;

    /// <summary>The directory's files; every file operation goes through this.</summary>
    internal HeldDirectory Files { get; }

    internal bool IsReadOnly { get; }

    /// <summary>Whether the pile is shared memory: nothing is synced to a device.</summary>
    internal bool IsShared => Superblock.IsShared;

    /// <summary>The catalog; null if it is damaged and that is only to be reported.</summary>
    internal FileCatalog Catalog { get; } = null!;

    internal MappedSegmentStore Segments { get; }

    /// <summary>The damage found at opening.</summary>
    internal FaultLog Faults { get; } = new();

    internal Superblock Superblock { get; }

    /// <summary>How the last owner left the pile.</summary>
    internal LastShutdown LastShutdown { get; }

    /// <summary>
    /// Whether another process was known to write the pile when this one opened it for reading; then <see cref="LastShutdown"/> means
    /// nothing yet.
    /// </summary>
    internal bool IsBeingWritten { get; }

    /// <summary>Records what the device has; null if nothing is synced, or for a reader.</summary>
    internal SyncRecord? SyncRecord { get; }

    /// <summary>Whether, after a kill, the device was known to have superblock and catalog as found.</summary>
    internal bool IsOnDevice => Catalog.IsOnDevice;

    /// <summary>Whether this opening created the pile.</summary>
    internal bool IsNew { get; }

    /// <summary>Opens a directory, and creates a pile in it if there is none.</summary>
    /// <param name="options">The options.</param>
    /// <param name="logger">Receives warnings about repairs.</param>
    /// <param name="reportsCatalog">
    /// Report a damaged catalog as a fault instead of throwing; for verification, which needs no catalog.
    /// </param>
    /// <exception cref="PileStorageException">The directory can't be used.</exception>
    internal static PileDirectory Open(PileOptions options, ILogger logger, bool reportsCatalog = false)
    {
        string path = System.IO.Path.TrimEndingDirectorySeparator(System.IO.Path.GetFullPath(options.Directory!));
        HeldDirectory? files = null;
        DirectoryLock? owner = null;
        try
        {
            if ((options.ReadOnly || !options.CreateDirectory) && !Directory.Exists(path))
                throw DirectoryCheck.Missing(path);
            if (options.Shared && options.ReadOnly)
                SharedPileDirectory.Check(path);
            else if (options.Shared)
                SharedPileDirectory.Make(path);
            else if (!Directory.Exists(path))
                DirectoryCheck.Make(path, options.FileHook);
            files = HeldDirectory.Open(path, options.FileHook, isVolatile: options.Shared);
            if (!options.CreateDirectory && !options.ReadOnly)
                DirectoryCheck.RefuseMissing(files);
            if (!options.ReadOnly)
                owner = DirectoryLock.Take(files, options, logger);
            if (owner != null)
                files.Guard(owner.File); // a removed lock file is noticed by later file operations
            return new PileDirectory(files, owner, options, logger, reportsCatalog);
        }
        catch (OperationCanceledException)
        {
            files?.Dispose();
            throw;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            owner?.Dispose();
            files?.Dispose();
            throw new PileStorageException(
                $"The directory '{path}' can't be used for a pile: {e.Message} Check that it exists and can be written, or open it for "
                + "reading only.", e);
        }
        catch
        {
            owner?.Dispose();
            files?.Dispose();
            throw;
        }
    }

    internal string PathOf(string name) => Files.PathOf(name);

    internal void MarkInUse()
    {
        if (!IsShared)
            InUseMark.Set(_owner!.File);
    }

    /// <summary>Removes that mark: the pile is closed, and its files may be copied.</summary>
    internal void UnmarkInUse()
    {
        if (!IsShared)
            InUseMark.Remove(_owner!.File);
    }

    /// <summary>Reports that a file is about to be synced.</summary>
    internal void OnSyncing(string path) => _syncing?.Invoke(path);

    /// <summary>Reports that a file was synced.</summary>
    internal void OnSynced(string path) => _synced?.Invoke(path);

    public void Dispose()
    {
        Catalog?.Dispose();
        Superblock.Dispose();
        _owner?.Dispose(); // behind all writes: another owner may begin
        Files.Dispose();
    }

    private void StateCurrentFormat(int format, ILogger logger)
    {
        Superblock.StateFormat();
        logger.LogWarning(
            "The pile in {Directory} was of format {Former}, and is of format {Format} from now on: versions that do not know it can't "
            + "open it any more", Path, format, SuperblockState.CurrentFormat);
    }

    private void CheckState(SuperblockState state, bool upgradesFormat)
    {
        if (state.PageBytes != SizeClasses.PageBytes)
        {
            throw new PileStorageException(
                $"The pile in '{Path}' has pages of {state.PageBytes:N0} bytes; this version uses {SizeClasses.PageBytes:N0}. Open "
                + "it with the version that made it.");
        }
        if (!IsReadOnly && state.Features.Unknown(FeatureWord.ReadOnly) is { } unknown)
        {
            throw new PileStorageException(
                $"The pile in '{Path}' makes use of the feature {unknown}, which this version does not know: it may read the pile and not "
                + "write it. Open it for reading only, or with a newer version.");
        }
        if (!IsReadOnly && !upgradesFormat && state.Format < SuperblockState.CurrentFormat)
        {
            throw new PileStorageException(
                $"The pile in '{Path}' is of format {state.Format}; this version writes format {SuperblockState.CurrentFormat}, which "
                + "earlier ones can't open. Copy the directory, and open it with PileOptions.UpgradeFormat (Pile:UpgradeFormat of a "
                + "server); or open it for reading only.");
        }
        if (state.Contradiction() is { } what)
            throw new PileStorageException(
                $"The superblock in '{Path}' states {what}, which no pile has: it is damaged. Restore it from a copy.");
    }

    private void CheckShared(SuperblockState state, PileOptions options, Guid bootId)
    {
        if (options.Shared && !state.IsShared)
            throw new PileStorageException($"The pile in '{Path}' was made without PileOptions.Shared. Open it without.");
        if (!options.Shared && state.IsShared && !IsReadOnly)
        {
            throw new PileStorageException(
                $"The pile in '{Path}' was made with PileOptions.Shared. Open it with that, or for reading only.");
        }
        if (state.IsShared && !IsNew && !BootClock.IsSame(state.BootId, bootId))
        {
            throw new PileStorageException(
                $"The shared pile in '{Path}' was written before the machine was rebooted, so its files can't be trusted. "
                + "Remove it by SharedPile.TryRemove, and create it again.");
        }
        _owner?.MarkAlive(isNeeded: state.IsShared);
    }

    private FileCatalog OpenCatalog(SuperblockState state, SuperblockFile? superblock, ILogger logger, bool reportsCatalog)
    {
        CatalogLength? stated = IsNew
            ? null
            : new CatalogLength(LastShutdown.WasClean ? state.CatalogBytes : null, state.DurableCatalogBytes, IsRecorded);

        bool IsRecorded(FileStatus? catalog) => LastShutdown.Kind == ShutdownKind.Killed && superblock!.HadBoth
            && SyncRecord?.Matches(state.BootId, state.Sequence, superblock.Status, catalog) == true;

        try
        {
            return OpenCatalog(state.Sequence, superblock, logger, stated);
        }
        catch (PileStorageException e) when (reportsCatalog)
        {
            Faults.Add(new PileFault(PathOf(CatalogName), e.Message, 0));
            return null!;
        }
    }

    // The writer may have replaced the file by a shorter one since the superblock was read: retry as long as the superblock is newer.
    private FileCatalog OpenCatalog(long sequence, SuperblockFile? superblock, ILogger logger, CatalogLength? stated)
    {
        while (true)
        {
            try
            {
                return FileCatalog.Open(Files, CatalogName, logger, IsReadOnly, stated);
            }
            catch (PileStorageException) when (IsReadOnly && superblock!.Read(new FaultLog()) is { IsClean: false } now
                && now.Sequence > sequence)
            {
                sequence = now.Sequence;
                stated = new CatalogLength(null, now.DurableCatalogBytes);
            }
        }
    }

    private static SuperblockState CreateState(PileOptions options, Guid bootId)
    {
        bool hasChecksums = options.Shared ? options.Checksums == PileChecksums.AtEveryRead : options.Checksums != PileChecksums.Off;
        return new SuperblockState
        {
            PileId = Guid.NewGuid(),
            PageBytes = SizeClasses.PageBytes,
            SegmentBytes = options.SegmentBytes,
            HasChecksums = hasChecksums,
            Features = Features.OfNewPile(hasChecksums),
            IsShared = options.Shared,
            BootId = options.Shared ? bootId : default,
        };
    }
}
