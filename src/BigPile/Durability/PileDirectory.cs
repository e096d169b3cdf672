using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using BigPile.Catalog;
using BigPile.Layout;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile.Durability;

/// <summary>The directory of a mapped pile: lock, superblock, catalog, segment files, flush log and redo records.</summary>
/// <remarks>
/// A segment exists when the superblock lists it: its file is made and written through first and listed after that, and is struck from
/// the list before the file goes. So a kill or a power cut leaves at most a file that nobody lists, which the next owner overwrites.
/// A change that fails leaves this object as it was, and the disk as it was or as it should have become. Each change is such that both
/// are right for as long as nobody relies on either; who does, as a flush or the making of a file, settles first which one it is.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PileDirectory : IDisposable
{
    internal const string SuperblockName = "superblock";
    internal const string CatalogName = "catalog";

    private const int SkipBits = 12;
    private const uint LeastSkip = 256;

    private readonly Lock _lock = new();
    private readonly DirectoryLock? _owner;
    private readonly SuperblockFile _superblock;
    private readonly Action<string>? _syncing;
    private readonly Action<string>? _synced;
    private readonly Guid _bootId;
    private SuperblockState _state; // as it was written last; of a change that failed the disk may have the one before or the one after
    private bool _isUnsettled; // nobody knows which

    private PileDirectory(HeldDirectory files, DirectoryLock? owner, PileOptions options, ILogger logger, bool reportsCatalog)
    {
        Files = files;
        _owner = owner;
        IsReadOnly = owner == null;
        _syncing = options.Syncing;
        _synced = options.Synced;
        _bootId = options.BootId ?? BootClock.Current;
        SuperblockFile? superblock = SuperblockFile.TryOpen(files, SuperblockName, IsReadOnly);
        try
        {
            IsNew = superblock == null;
            if (IsNew)
                DirectoryCheck.RefuseLeftovers(files);
            if (IsNew && IsReadOnly)
                throw DirectoryCheck.Missing(files.Path);
            _state = superblock?.Read(Faults) ?? CreateState(options);
            if (_state.PageBytes != SizeClasses.PageBytes)
            {
                throw new PileStorageException(
                    $"The pile in '{Path}' has pages of {_state.PageBytes:N0} bytes; this version uses {SizeClasses.PageBytes:N0}. Open "
                    + "it with the version that made it.");
            }
            if (_state.Contradiction() is { } what)
                throw new PileStorageException(
                    $"The superblock in '{Path}' states {what}, which no pile has: it is damaged. Restore it from a copy.");
            WasClean = IsNew || _state.IsClean;
            WasPowerCut = !WasClean && !BootClock.IsSame(_state.BootId, _bootId);
            WasCutTwice = WasPowerCut && _state.HasMarksOfCut;
            HasTracesOfCut = WasPowerCut || (!WasClean && _state.HasTracesOfCut);
            GenerationSkip = HasTracesOfCut ? SkipOf(_state.Sequence) : 0;
            Catalog = OpenCatalog(files, superblock, logger, reportsCatalog);
            _superblock = superblock ??= SuperblockFile.Create(files, SuperblockName, _state);
        }
        catch
        {
            Catalog?.Dispose();
            superblock?.Dispose();
            throw;
        }
        if (IsNew)
            NoteSynced(PathOf(SuperblockName));
        Segments = new MappedSegmentStore(this);
    }

    internal string Path => Files.Path;

    /// <summary>The files, through which every operation on them goes.</summary>
    internal HeldDirectory Files { get; }

    internal bool IsReadOnly { get; }

    /// <summary>The definitions; none where they are damaged, and that is only to be reported.</summary>
    internal FileCatalog Catalog { get; } = null!;

    internal MappedSegmentStore Segments { get; }

    /// <summary>What was found damaged at opening.</summary>
    internal FaultLog Faults { get; } = new();

    internal long SegmentBytes => _state.SegmentBytes;

    internal Guid PileId => _state.PileId;

    internal uint GenerationBase => _state.GenerationBase;

    /// <summary>The generations that new segments of some numbers start at.</summary>
    internal IReadOnlyDictionary<int, uint> Generations => _state.Generations;

    internal ulong VersionLimit => _state.VersionLimit;

    /// <summary>The last version of an entry that the last checkpoint, or closing, had; 0 where that is not known.</summary>
    internal ulong FlushedVersion => WasClean && _state.IsClean ? _state.VersionLimit : _state.FlushedVersion;

    /// <summary>
    /// No entry that was put before the power cut that pages may have traces of has a version above this. All that are put since have one.
    /// </summary>
    internal ulong CutVersion => WasPowerCut ? VersionLimit : _state.CutVersion;

    internal bool HasChecksums => _state.HasChecksums;

    internal long LogEpoch => _state.LogEpoch;

    /// <summary>Whether there was no pile in the directory.</summary>
    internal bool IsNew { get; }

    /// <summary>Whether the last owner closed the pile; true for a new one.</summary>
    internal bool WasClean { get; }

    /// <summary>
    /// Whether the last owner did not, and the machine may have been started anew since: stores may be missing on the device.
    /// </summary>
    internal bool WasPowerCut { get; }

    /// <summary>
    /// Whether pages may have traces of a power cut: it was the last end, or an owner that was killed since had not examined all.
    /// </summary>
    internal bool HasTracesOfCut { get; }

    /// <summary>How many generations this owner leaves out where one may have been given out that a power cut took.</summary>
    internal uint GenerationSkip { get; }

    /// <summary>Whether the power was cut, and before that another time, and no checkpoint came in between.</summary>
    internal bool WasCutTwice { get; }

    /// <summary>How the last owner left the pile.</summary>
    internal LeftAs LeftAs => WasClean ? LeftAs.Closed : WasPowerCut ? LeftAs.Cut : LeftAs.Killed;

    /// <summary>The segments that exist, and their lengths in bytes.</summary>
    internal IReadOnlyDictionary<int, long> ListedSegments => _state.Segments;

    /// <summary>Takes over a directory, and makes a pile in it if there is none.</summary>
    /// <param name="options">Where, and what for.</param>
    /// <param name="logger">Is told what is put right on the way.</param>
    /// <param name="reportsCatalog">Take a damaged catalog for a fault of a pile that is only looked at, which needs none.</param>
    /// <exception cref="PileStorageException">It can't be used.</exception>
    internal static PileDirectory Open(PileOptions options, ILogger logger, bool reportsCatalog = false)
    {
        string path = System.IO.Path.TrimEndingDirectorySeparator(System.IO.Path.GetFullPath(options.Directory!));
        HeldDirectory? files = null;
        DirectoryLock? owner = null;
        try
        {
            if ((options.ReadOnly || !options.CreateDirectory) && !Directory.Exists(path))
                throw DirectoryCheck.Missing(path);
            if (!Directory.Exists(path))
                DirectoryCheck.Make(path, options.FileHook);
            files = HeldDirectory.Open(path, options.FileHook);
            if (!options.CreateDirectory && !options.ReadOnly)
                DirectoryCheck.RefuseMissing(files);
            if (!options.ReadOnly)
                owner = DirectoryLock.Take(files);
            if (owner != null)
                files.Guard(owner.File);
            return new PileDirectory(files, owner, options, logger, reportsCatalog);
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

    /// <summary>The segments that the writer has by now; for a reader.</summary>
    /// <param name="rule">What the superblock says of deletions.</param>
    internal IReadOnlyDictionary<int, long> ReadListedSegments(out UndoRule rule)
    {
        lock (_lock)
        {
            SuperblockState state = _superblock.Read(new FaultLog());
            LeftAs leftAs = state.IsClean ? LeftAs.Closed : BootClock.IsSame(state.BootId, _bootId) ? LeftAs.Killed : LeftAs.Cut;
            rule = new UndoRule(leftAs, state.HasTracesOfCut, state.LogEpoch);
            return state.Segments;
        }
    }

    internal string PathOf(string name) => Files.PathOf(name);

    /// <summary>States that a file is about to be written through.</summary>
    internal void NoteSyncing(string path) => _syncing?.Invoke(path);

    /// <summary>States that a file is durable as it is now.</summary>
    internal void NoteSynced(string path) => _synced?.Invoke(path);

    /// <summary>States that the pile is in use from now on. All that had to be replayed was.</summary>
    /// <param name="isExamined">Whether all pages were examined, too.</param>
    /// <param name="flushedVersion">The last version of an entry that was flushed, or 0.</param>
    internal void MarkOpened(bool isExamined, ulong flushedVersion)
    {
        Change(state =>
        {
            state.FlushedVersion = flushedVersion;
            state.CutVersion = CutVersion;
            state.IsClean = false;
            state.BootId = _bootId;
            state.HasTracesOfCut = HasTracesOfCut && !isExamined;
            state.HasMarksOfCut = WasPowerCut || (!WasClean && state.HasMarksOfCut);
        });
        Catalog.Stating = StateCatalog; // not before: the superblock of a closed pile states the length exactly
        Catalog.LeaveOutVoidIfMost();
    }

    /// <summary>States that no page has traces of a power cut any more.</summary>
    internal void MarkExamined()
    {
        if (!_state.HasTracesOfCut)
            return;
        Change(static state => state.HasTracesOfCut = false);
        Segments.NoteChange(); // readers take no deletion for one to be undone any more
    }

    /// <summary>Lists a segment whose file is durable. When that fails the file has to stay: the disk may list it by now.</summary>
    internal void AddSegment(int number, long lengthBytes)
    {
        Files.Sync();
        Change(state =>
        {
            state.Segments[number] = lengthBytes;
            for (int i = 0; i < SpansOf(lengthBytes); i++)
                state.Generations.Remove(number + i); // its own pages know
        });
    }

    /// <summary>
    /// Strikes a segment. When that fails the file has to stay, and nothing may be put into it: the disk may list it or not.
    /// </summary>
    /// <param name="number">The segment.</param>
    /// <param name="generation">The generation that later segments of its numbers start at.</param>
    internal void RemoveSegment(int number, uint generation) => Change(state =>
    {
        for (int i = 0; i < SpansOf(state.Segments[number]); i++)
            state.Generations[number + i] = generation;
        state.Segments.Remove(number);
    });

    /// <summary>Reserves versions: none above the limit is used before the file says so.</summary>
    /// <exception cref="PileStorageException">The device refused.</exception>
    internal void RaiseVersionLimit(ulong limit)
    {
        try
        {
            Change(state => state.VersionLimit = Math.Max(limit, state.VersionLimit));
        }
        catch (IOException e)
        {
            throw new PileStorageException(
                $"No versions of entries can be reserved in '{Path}': {e.Message} "
                + "Nothing was changed. Make room on the disk, or mend what it says, and try again.", e);
        }
    }

    /// <summary>Begins a new log: what the one before holds is in the segments by now.</summary>
    /// <param name="epoch">Its number.</param>
    /// <param name="flushedVersion">The last version of an entry that is in the segments.</param>
    internal void RaiseLogEpoch(long epoch, ulong flushedVersion) => Change(state =>
    {
        state.LogEpoch = epoch;
        state.FlushedVersion = flushedVersion;
        state.HasMarksOfCut = false;
    });

    /// <summary>States that everything is written through, the catalog settled. Nothing may change any more.</summary>
    internal void MarkClean(ulong lastVersion)
    {
        Catalog.Stating = null;
        Change(state =>
        {
            state.VersionLimit = lastVersion;
            state.LogEpoch += 2; // by two: a checkpoint that failed may have left a batch of the next one
            state.CatalogBytes = Catalog.LengthBytes;
            state.IsClean = true;
            state.HasTracesOfCut = false;
            state.HasMarksOfCut = false;
        });
    }

    /// <summary>
    /// Has the disk say what this object does, where a change that failed left that open. A change that ends well does so too.
    /// </summary>
    /// <exception cref="IOException">The device still refuses.</exception>
    internal void Settle()
    {
        lock (_lock)
        {
            if (_isUnsettled)
                Change(static _ => { });
        }
    }

    /// <summary>
    /// As <see cref="Settle"/>, and the catalog as well: it has nothing of a call that failed, and the superblock states all that it has.
    /// To be called behind the last look at what is to become durable, and before that does: its types and tables can't be lost unseen
    /// then.
    /// </summary>
    /// <exception cref="IOException">The device still refuses.</exception>
    internal void SettleAll()
    {
        Catalog.Settle();
        lock (_lock)
        {
            if (_isUnsettled || _state.DurableCatalogBytes != Catalog.LengthBytes)
                Change(static _ => { });
        }
    }

    public void Dispose()
    {
        Catalog?.Dispose();
        _superblock.Dispose();
        _owner?.Dispose();
        Files.Dispose();
    }

    // Owners between which nothing of a page became durable begin at the same generation: far from one another they don't meet. Each has a
    // sequence of its own, since stating that it uses the pile raises it. Fibonacci hashing (Knuth, TAOCP 6.4) spreads these evenly.
    private static uint SkipOf(long sequence) => LeastSkip + (uint)(((ulong)sequence * 0x9E3779B97F4A7C15) >> (64 - SkipBits));

    private long SpansOf(long lengthBytes) => (lengthBytes + SegmentBytes - 1) / SegmentBytes;

    private FileCatalog OpenCatalog(HeldDirectory files, SuperblockFile? superblock, ILogger logger, bool reportsCatalog)
    {
        StatedCatalog? stated = IsNew ? null : new StatedCatalog(WasClean ? _state.CatalogBytes : null, _state.DurableCatalogBytes);
        try
        {
            return OpenCatalog(files, superblock, logger, stated);
        }
        catch (PileStorageException e) when (reportsCatalog)
        {
            Faults.Add(new PileFault(PathOf(CatalogName), e.Message, 0));
            return null!;
        }
    }

    // The writer may have replaced the file by a shorter one since the superblock was read.
    private FileCatalog OpenCatalog(HeldDirectory files, SuperblockFile? superblock, ILogger logger, StatedCatalog? stated)
    {
        for (long sequence = _state.Sequence; ;)
        {
            try
            {
                return FileCatalog.Open(files, CatalogName, logger, IsReadOnly, stated);
            }
            catch (PileStorageException) when (IsReadOnly && superblock!.Read(new FaultLog()) is { IsClean: false } now
                && now.Sequence > sequence)
            {
                sequence = now.Sequence;
                stated = new StatedCatalog(null, now.DurableCatalogBytes);
            }
        }
    }

    /// <summary>Writes a changed state: memory has it once the disk does, and else stays as it was.</summary>
    /// <remarks>
    /// The catalog's length is looked at before the write: what is appended meanwhile is behind it, and what failed is never in it.
    /// </remarks>
    private void Change(Action<SuperblockState> change) => Change(change, catalogBytes: null);

    // The catalog will have that length, and has more until then.
    private void StateCatalog(long lengthBytes, Action shorten)
    {
        lock (_lock)
        {
            Change(static _ => { }, lengthBytes);
            shorten();
        }
    }

    private void Change(Action<SuperblockState> change, long? catalogBytes)
    {
        lock (_lock)
        {
            SuperblockState next = _state.Copy();
            change(next);
            next.DurableCatalogBytes = catalogBytes ?? Catalog.LengthBytes;
            try
            {
                NoteSyncing(PathOf(SuperblockName));
                _superblock.Write(next);
                NoteSynced(PathOf(SuperblockName));
            }
            catch
            {
                _state.Sequence = next.Sequence; // of the places that were written one is whole, and not to be written next
                _isUnsettled = true;
                throw;
            }
            _state = next;
            _isUnsettled = false;
        }
    }

    private static SuperblockState CreateState(PileOptions options) => new()
    {
        PileId = Guid.NewGuid(),
        PageBytes = SizeClasses.PageBytes,
        SegmentBytes = options.SegmentBytes,
        HasChecksums = options.Checksums != PileChecksums.Off,
    };
}
