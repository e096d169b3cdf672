using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using BigPile.Allocation;
using BigPile.Catalog;
using BigPile.Memory;
using BigPile.Recovery;
using Microsoft.Extensions.Logging;

namespace BigPile.Storage;

/// <summary>The directory of a mapped pile: lock, superblock, catalog, segment files, flush log and redo records.</summary>
/// <remarks>
/// A segment exists when the superblock lists it: its file is made and written through first and listed after that, and is struck from
/// the list before the file goes. So a kill or a power cut leaves at most a file that nobody lists, which the next owner overwrites.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PileDirectory : IDisposable
{
    private const string SuperblockName = "superblock";
    private const string CatalogName = "catalog";

    private readonly Lock _lock = new();
    private readonly DirectoryLock? _owner;
    private readonly SuperblockFile _superblock;
    private readonly SuperblockState _state;
    private readonly Action<string>? _synced;
    private readonly Guid _bootId;

    private PileDirectory(string path, DirectoryLock? owner, PileOptions options, ILogger logger)
    {
        Path = path;
        _owner = owner;
        IsReadOnly = owner == null;
        _synced = options.Synced;
        _bootId = options.BootId ?? BootClock.Current;
        _superblock = new SuperblockFile(PathOf(SuperblockName), IsReadOnly);
        try
        {
            SuperblockState? stored = _superblock.Read(Faults);
            IsNew = stored == null;
            if (IsNew && IsReadOnly)
                throw Missing(path);
            _state = stored ?? CreateState(options);
            if (_state.PageBytes != SizeClasses.PageBytes)
            {
                throw new PileStorageException(
                    $"The pile in '{path}' has pages of {_state.PageBytes:N0} bytes; this version uses {SizeClasses.PageBytes:N0}. Open it with the version that made it.");
            }
            WasClean = IsNew || _state.IsClean;
            WasPowerCut = !WasClean && _state.BootId != _bootId;
            Catalog = FileCatalog.Open(PathOf(CatalogName), logger, IsReadOnly, !IsNew && WasClean ? _state.CatalogBytes : null);
            if (IsNew)
                _superblock.Write(_state);
        }
        catch
        {
            Catalog?.Dispose();
            _superblock.Dispose();
            throw;
        }
        Segments = new MappedSegmentStore(this);
    }

    internal string Path { get; }

    internal bool IsReadOnly { get; }

    internal FileCatalog Catalog { get; }

    internal MappedSegmentStore Segments { get; }

    /// <summary>What was found damaged at opening.</summary>
    internal FaultLog Faults { get; } = new();

    internal long SegmentBytes => _state.SegmentBytes;

    internal Guid PileId => _state.PileId;

    internal uint GenerationBase => _state.GenerationBase;

    internal ulong VersionLimit => _state.VersionLimit;

    internal bool HasChecksums => _state.HasChecksums;

    internal long LogEpoch => _state.LogEpoch;

    /// <summary>Whether there was no pile in the directory.</summary>
    internal bool IsNew { get; }

    /// <summary>Whether the last owner closed the pile; true for a new one.</summary>
    internal bool WasClean { get; }

    /// <summary>Whether the last owner did not, and the machine has been started anew since: stores may be missing on the device.</summary>
    internal bool WasPowerCut { get; }

    /// <summary>Whether changes may go to the log: it is replayed only where power cuts can be told from kills.</summary>
    internal bool CanUseLog => _bootId != Guid.Empty;

    /// <summary>The segments that exist, and their lengths in bytes.</summary>
    internal IReadOnlyDictionary<int, long> ListedSegments => _state.Segments;

    /// <summary>Takes over a directory, and makes a pile in it if there is none.</summary>
    /// <exception cref="PileStorageException">It can't be used.</exception>
    internal static PileDirectory Open(PileOptions options, ILogger logger)
    {
        string path = System.IO.Path.GetFullPath(options.Directory!);
        DirectoryLock? owner = null;
        try
        {
            if (options.ReadOnly)
                return OpenReadOnly(path, options, logger);
            if (!options.CreateDirectory && !File.Exists(System.IO.Path.Combine(path, SuperblockName)))
                throw Missing(path);
            Directory.CreateDirectory(path);
            owner = DirectoryLock.Take(path);
            return new PileDirectory(path, owner, options, logger);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            owner?.Dispose();
            throw new PileStorageException(
                $"The directory '{path}' can't be used for a pile: {e.Message} Check that it exists and can be written, or open it for reading only.", e);
        }
        catch
        {
            owner?.Dispose();
            throw;
        }
    }

    /// <summary>The segments that the writer has by now; for a reader.</summary>
    internal IReadOnlyDictionary<int, long> ReadListedSegments()
    {
        lock (_lock)
            return _superblock.Read(new FaultLog())?.Segments ?? _state.Segments;
    }

    internal string PathOf(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>States that a file is durable as it is now.</summary>
    internal void NoteSynced(string path) => _synced?.Invoke(path);

    /// <summary>States that the pile is in use from now on. All that had to be replayed was.</summary>
    internal void MarkOpened()
    {
        lock (_lock)
        {
            _state.IsClean = false;
            _state.BootId = _bootId;
            Write();
        }
    }

    internal void AddSegment(int number, long lengthBytes)
    {
        lock (_lock)
        {
            DurableFile.SyncDirectory(Path);
            _state.Segments[number] = lengthBytes;
            try
            {
                Write();
            }
            catch
            {
                _state.Segments.Remove(number); // the file stays: one of the two places may list it by now
                throw;
            }
        }
    }

    internal void RemoveSegment(int number, uint generationBase)
    {
        lock (_lock)
        {
            _state.Segments.Remove(number);
            _state.GenerationBase = generationBase;
            Write();
        }
    }

    /// <summary>Reserves versions: none above the limit is used before the file says so.</summary>
    internal void RaiseVersionLimit(ulong limit)
    {
        lock (_lock)
        {
            _state.VersionLimit = Math.Max(limit, _state.VersionLimit);
            Write();
        }
    }

    /// <summary>Begins a new log: what the one before holds is in the segments by now.</summary>
    internal void RaiseLogEpoch(long epoch)
    {
        lock (_lock)
        {
            _state.LogEpoch = epoch;
            Write();
        }
    }

    /// <summary>States that everything is written through. Nothing may change any more.</summary>
    internal void MarkClean(ulong lastVersion)
    {
        lock (_lock)
        {
            _state.VersionLimit = lastVersion;
            _state.LogEpoch++;
            _state.CatalogBytes = Catalog.LengthBytes;
            _state.IsClean = true;
            Write();
        }
    }

    public void Dispose()
    {
        Catalog.Dispose();
        _superblock.Dispose();
        _owner?.Dispose();
    }

    private static PileDirectory OpenReadOnly(string path, PileOptions options, ILogger logger) =>
        File.Exists(System.IO.Path.Combine(path, SuperblockName)) ? new PileDirectory(path, null, options, logger) : throw Missing(path);

    private static PileStorageException Missing(string path) =>
        new($"There is no pile in '{path}'. Check the path; a pile is made there by opening it for writing.");

    private void Write()
    {
        _superblock.Write(_state);
        NoteSynced(PathOf(SuperblockName));
    }

    private static SuperblockState CreateState(PileOptions options) => new()
    {
        PileId = Guid.NewGuid(),
        PageBytes = SizeClasses.PageBytes,
        SegmentBytes = options.SegmentBytes,
        HasChecksums = options.Checksums != PileChecksums.Off,
    };
}
