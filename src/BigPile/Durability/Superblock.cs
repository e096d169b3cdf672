using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>What a mapped pile states of itself as a whole, and each change of that: segments, epochs, versions, how it is used.</summary>
/// <remarks>
/// A segment exists when the superblock lists it: its file is made and written through first and listed after that, and is struck from
/// the list before the file goes. So a kill or a power cut leaves at most a file that nobody lists, which the next owner overwrites.
/// A change that fails leaves this object as it was, and the disk as it was or as it should have become. Each change is such that both
/// are right for as long as nobody relies on either; who does, as a flush or the making of a file, settles first which one it is.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class Superblock : IDisposable
{
    private readonly Lock _lock = new();
    private readonly PileDirectory _directory;
    private readonly SuperblockFile _file;
    private readonly Guid _bootId;
    private SuperblockState _state; // as it was last written with success
    private bool _isInDoubt; // a change failed since: the disk may have it or not

    /// <summary>Takes over what is in the file.</summary>
    /// <param name="directory">Whose it is; its catalog is open by now, and its segments may follow.</param>
    /// <param name="file">The file, which is disposed of with this.</param>
    /// <param name="state">What it holds.</param>
    /// <param name="bootId">The present start of the machine.</param>
    internal Superblock(PileDirectory directory, SuperblockFile file, SuperblockState state, Guid bootId)
    {
        _directory = directory;
        _file = file;
        _state = state;
        _bootId = bootId;
    }

    internal long SegmentBytes => _state.SegmentBytes;

    internal Guid PileId => _state.PileId;

    /// <summary>The present start of the machine; empty where the system does not tell.</summary>
    internal Guid BootId => _bootId;

    internal uint GenerationBase => _state.GenerationBase;

    /// <summary>The generations that new segments of some numbers start at.</summary>
    internal IReadOnlyDictionary<int, uint> Generations => _state.Generations;

    internal ulong VersionLimit => _state.VersionLimit;

    /// <summary>The last version of an entry that the last checkpoint, or closing, had; 0 where that is not known.</summary>
    internal ulong FlushedVersion => _directory.LastShutdown.WasClean && _state.IsClean ? _state.VersionLimit : _state.FlushedVersion;

    /// <summary>
    /// No entry that was put before the power cut that pages may have traces of has a version above this. All that are put since have one.
    /// </summary>
    internal ulong CutVersion => _directory.LastShutdown.WasPowerCut ? VersionLimit : _state.CutVersion;

    /// <summary>Which checksums blocks have.</summary>
    internal BlockChecksumKind ChecksumKind => _state.ChecksumKind;

    /// <summary>Whether nothing of the pile is written through to a device.</summary>
    internal bool IsShared => _state.IsShared;

    internal long LogEpoch => _state.LogEpoch;

    /// <summary>The number of the tables' indexes that go with the entries; empty where there are none.</summary>
    internal Guid IndexSet => _state.IndexSet;

    /// <summary>The segments that exist, and their lengths in bytes.</summary>
    internal IReadOnlyDictionary<int, long> ListedSegments => _state.Segments;

    /// <summary>The segments that the writer has by now; for a reader.</summary>
    /// <param name="rule">What the superblock says of deletions.</param>
    internal IReadOnlyDictionary<int, long> ReadListedSegments(out UndoRule rule)
    {
        Debug.Assert(_directory.IsReadOnly, "The owner knows what it has stated, also while the file says something older.");
        lock (_lock)
        {
            SuperblockState state = _file.Read(new FaultLog());
            ShutdownKind shutdown = state.IsClean ? ShutdownKind.Closed : BootClock.IsSame(state.BootId, _bootId) ? ShutdownKind.Killed : ShutdownKind.PowerCut;
            rule = new UndoRule(shutdown, state.HasTracesOfCut, state.LogEpoch);
            return state.Segments;
        }
    }

    /// <summary>
    /// States the same in the present format, before anything else is written: an earlier version refuses by its number what it would
    /// take for damage.
    /// </summary>
    internal void StateFormat() => Change(static _ => { });

    /// <summary>States that the pile is in use from now on. All that had to be replayed was.</summary>
    /// <param name="isRecovered">Whether all pages were examined, too.</param>
    /// <param name="flushedVersion">The last version of an entry that was flushed, or 0.</param>
    internal void MarkOpened(bool isRecovered, ulong flushedVersion)
    {
        Debug.Assert(_directory.Catalog.LengthRecorder == null, "The pile was opened before, or is closed.");
        ChangeUnlessOnDevice(state =>
        {
            state.FlushedVersion = flushedVersion;
            state.CutVersion = CutVersion;
            state.IsClean = false;
            state.BootId = _bootId;
            state.HasTracesOfCut = _directory.LastShutdown.HasTracesOfCut && !isRecovered;
            state.HasMarksOfCut = _directory.LastShutdown.WasPowerCut || (!_directory.LastShutdown.WasClean && state.HasMarksOfCut);
            if (_directory.LastShutdown.WasPowerCut || _directory.LastShutdown.IsCopy)
                state.IndexSet = Guid.Empty; // the entries are what was flushed, and indexes that were closed later never are again
        });
        _directory.Catalog.LengthRecorder = RecordCatalogLength; // not before: the superblock of a closed pile states the length exactly
        _directory.Catalog.DropSupersededIfMost();
    }

    /// <summary>States that no page has traces of a power cut any more.</summary>
    internal void MarkRecovered()
    {
        if (!_state.HasTracesOfCut)
            return;
        Change(static state => state.HasTracesOfCut = false);
        _directory.Segments.RaiseListChanged(); // readers stop undoing deletions
    }

    /// <summary>Lists a segment whose file is durable. When that fails the file has to stay: the disk may list it by now.</summary>
    internal void AddSegment(int number, long lengthBytes)
    {
        _directory.Files.Sync();
        Change(state =>
        {
            Debug.Assert(!state.Segments.ContainsKey(number), "Two files would have one name.");
            state.Segments[number] = lengthBytes;
            for (int i = 0; i < SpansOf(lengthBytes); i++)
                state.Generations.Remove(number + i); // from here on its page words state them
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
                $"No versions of entries can be reserved in '{_directory.Path}': {e.Message} "
                + "Nothing was changed. Make room on the disk, or mend what it says, and try again.", e);
        }
    }

    /// <summary>States which indexes of tables go with the entries from now on. Others that there may be do no longer.</summary>
    /// <exception cref="IOException">The device refused.</exception>
    internal void SetIndexSet(Guid number) => Change(state => state.IndexSet = number);

    /// <summary>Begins a new log: what the one before holds is in the segments by now.</summary>
    /// <param name="epoch">Its number.</param>
    /// <param name="flushedVersion">The last version of an entry that is in the segments.</param>
    internal void RaiseLogEpoch(long epoch, ulong flushedVersion) => Change(state =>
    {
        Debug.Assert(epoch > state.LogEpoch, "Batches of an epoch that was over would count again.");
        Debug.Assert(!state.HasTracesOfCut, "What a page that nobody examined has of an earlier epoch would become final.");
        state.LogEpoch = epoch;
        state.FlushedVersion = flushedVersion;
        state.HasMarksOfCut = false;
    });

    /// <summary>States that everything is written through, the catalog settled. Nothing may change any more.</summary>
    internal void MarkClean(ulong lastVersion)
    {
        _directory.Catalog.LengthRecorder = null;
        Change(state =>
        {
            Debug.Assert(!state.IsClean, "The pile is closed already, and nothing may have changed since.");
            state.VersionLimit = lastVersion;
            state.LogEpoch += 2; // by two: a checkpoint that failed may have left a batch of the next one
            state.CatalogBytes = _directory.Catalog.LengthBytes;
            state.IsClean = true;
            state.HasTracesOfCut = false;
            state.HasMarksOfCut = false;
        });
    }

    /// <summary>
    /// Has the disk say what this object does, where a change that failed left that open. A change that ends well does so too.
    /// </summary>
    /// <exception cref="IOException">The device still refuses.</exception>
    internal void Reconcile()
    {
        lock (_lock)
        {
            if (_isInDoubt)
                Change(static _ => { });
        }
    }

    /// <summary>
    /// As <see cref="Reconcile"/>, and the catalog as well: it has nothing of a call that failed, and the superblock states all that it has.
    /// To be called behind the last look at what is to become durable, and before that does: its types and tables can't be lost unseen
    /// then.
    /// </summary>
    /// <exception cref="IOException">The device still refuses.</exception>
    internal void ReconcileAll()
    {
        _directory.Catalog.Reconcile();
        lock (_lock)
        {
            if (_isInDoubt || _state.DurableCatalogBytes != _directory.Catalog.LengthBytes)
                Change(static _ => { });
        }
    }

    public void Dispose() => _file.Dispose();

    private long SpansOf(long lengthBytes) => (lengthBytes + SegmentBytes - 1) / SegmentBytes;

    /// <summary>Writes a changed state: memory has it once the disk does, and else stays as it was.</summary>
    /// <remarks>
    /// The catalog's length is looked at before the write: what is appended meanwhile is behind it, and what failed is never in it.
    /// </remarks>
    private void Change(Action<SuperblockState> change) => Change(change, catalogBytes: null);

    private void ChangeUnlessOnDevice(Action<SuperblockState> change)
    {
        SuperblockState next = NextState(change, catalogBytes: null);
        bool skipsGenerations = _directory.LastShutdown.HasTracesOfCut; // by the sequence, which has to be another one for each such owner
        if (skipsGenerations || !_directory.IsOnDevice || !next.HasSameContent(_state))
            Change(change);
    }

    // States the length that the catalog has once it is shortened: stated too early it is right as well, since the longer file has it too.
    private void RecordCatalogLength(long lengthBytes, Action shorten)
    {
        Debug.Assert(lengthBytes <= _directory.Catalog.LengthBytes, "More would be stated than the file has until it is replaced.");
        lock (_lock)
        {
            Change(static _ => { }, lengthBytes);
            shorten();
        }
    }

    private void Change(Action<SuperblockState> change, long? catalogBytes)
    {
        Debug.Assert(!_directory.IsReadOnly, "Only the owner states anything.");
        lock (_lock)
        {
            SuperblockState next = NextState(change, catalogBytes);
            FileStatus? catalog = _directory.Catalog.StatusOnDevice;
            try
            {
                _directory.OnSyncing(_directory.PathOf(PileDirectory.SuperblockName));
                _file.Write(next);
                _directory.OnSynced(_directory.PathOf(PileDirectory.SuperblockName));
            }
            catch
            {
                _state.Sequence = next.Sequence; // counts a place that was written whole, if one was: the next write begins with the other
                _isInDoubt = true;
                throw;
            }
            Debug.Assert(next.Sequence == _state.Sequence + 2, "Each place has a sequence of its own, and the later one the higher.");
            _state = next;
            _isInDoubt = false;
            _directory.SyncRecord?.Store(_bootId, next.Sequence, _file.Status, catalog);
        }
    }

    private SuperblockState NextState(Action<SuperblockState> change, long? catalogBytes)
    {
        SuperblockState next = _state.Copy();
        change(next);
        next.DurableCatalogBytes = catalogBytes ?? _directory.Catalog.LengthBytes;
        return next;
    }
}
