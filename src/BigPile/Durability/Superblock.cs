using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>The state of a mapped pile as a whole, and each change of it: segments, epochs, version limit, whether it is in use.</summary>
/// <remarks>
/// A segment exists if the superblock lists it. Its file is created and synced before it is listed, and deleted after it is removed from
/// the list: a crash leaves at most an unlisted file, which the next owner overwrites. If a write fails, this object keeps the old state,
/// and the disk has the old or the new one (in doubt). Each change is such that both are correct until somebody relies on either; a flush
/// or the creation of a file does, and so reconciles first. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="directory">The pile's directory; its catalog is open, its segments need not be.</param>
/// <param name="file">The file; disposed of with this object.</param>
/// <param name="state">Its content.</param>
/// <param name="bootId">The id of this boot.</param>
internal sealed class Superblock(PileDirectory directory, SuperblockFile file, SuperblockState state, Guid bootId) : IDisposable
{
    private readonly Lock _lock = new(); // serialises writes; held while the device writes
    private readonly PileDirectory _directory = directory; // catalog, segments and faults beside it
    private readonly SuperblockFile _file = file; // the two copies
    private readonly Guid _bootId = bootId; // of this boot; empty where the system has none
    private SuperblockState _state = state; // as last written successfully; replaced under _lock, read without it
    private bool _isInDoubt; // a later write failed: the disk may have it or not; under _lock

    internal long SegmentBytes => _state.SegmentBytes;

    internal Guid PileId => _state.PileId;

    /// <summary>The id of this boot; empty if the system does not report it.</summary>
    internal Guid BootId => _bootId;

    internal uint GenerationBase => _state.GenerationBase;

    /// <summary>The first generations of new segments, by segment number.</summary>
    internal IReadOnlyDictionary<int, uint> Generations => _state.Generations;

    internal ulong VersionLimit => _state.VersionLimit;

    /// <summary>The highest entry version that the last checkpoint or closing covered; 0 if unknown.</summary>
    internal ulong FlushedVersion => _directory.LastShutdown.WasClean && _state.IsClean ? _state.VersionLimit : _state.FlushedVersion;

    /// <summary>
    /// An upper bound of the versions of entries from before the power cut whose traces pages may hold; later entries have higher ones.
    /// </summary>
    internal ulong CutVersion => _directory.LastShutdown.WasPowerCut ? VersionLimit : _state.CutVersion;

    internal BlockChecksumKind ChecksumKind => _state.ChecksumKind;

    /// <summary>Whether the pile is shared memory: nothing is synced to a device.</summary>
    internal bool IsShared => _state.IsShared;

    internal long LogEpoch => _state.LogEpoch;

    /// <summary>The id of the set of table indexes that matches the entries; empty if there is none.</summary>
    internal Guid IndexSet => _state.IndexSet;

    /// <summary>The lengths in bytes of the segments, by number.</summary>
    internal IReadOnlyDictionary<int, long> ListedSegments => _state.Segments;

    /// <summary>Reads the writer's current segment list; for a reader.</summary>
    /// <param name="rule">Which deletions count as undone.</param>
    internal IReadOnlyDictionary<int, long> ReadListedSegments(out UndoRule rule)
    {
        Debug.Assert(_directory.IsReadOnly, "Only a reader reads the list from the file: the owner's own state is newer.");
        lock (_lock)
        {
            SuperblockState state = _file.Read(new FaultLog());
            ShutdownKind shutdown = state.IsClean ? ShutdownKind.Closed
                : BootClock.IsSame(state.BootId, _bootId) ? ShutdownKind.Killed
                : ShutdownKind.PowerCut;
            rule = new UndoRule(shutdown, state.HasTracesOfCut, state.LogEpoch);
            return state.Segments;
        }
    }

    /// <summary>
    /// Rewrites the superblock in the current format before anything else is written: an earlier version then refuses the format number,
    /// instead of reporting damage.
    /// </summary>
    internal void StateFormat() => Change(static _ => { });

    /// <summary>Marks the pile as in use. Replay is complete by now.</summary>
    /// <param name="isRecovered">Whether all pages are recovered too.</param>
    /// <param name="flushedVersion">The highest flushed entry version, or 0.</param>
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
                state.IndexSet = Guid.Empty; // the entries are back at the last flush, so no index that was closed later can match them
        });
        // only now: the superblock of a closed pile states the catalog's exact length
        _directory.Catalog.LengthRecorder = RecordCatalogLength;
        _directory.Catalog.DropSupersededIfMost();
    }

    /// <summary>States that no page holds traces of a power cut any more.</summary>
    internal void MarkRecovered()
    {
        if (!_state.HasTracesOfCut)
            return;
        Change(static state => state.HasTracesOfCut = false);
        _directory.Segments.RaiseListChanged(); // readers stop undoing deletions
    }

    /// <summary>Lists a segment whose file is durable. If this fails, the file must stay: the disk may list it.</summary>
    internal void AddSegment(int number, long lengthBytes)
    {
        _directory.Files.Sync(); // the segment's name before the superblock lists it
        Change(state =>
        {
            Debug.Assert(!state.Segments.ContainsKey(number), "Two files would have one name.");
            state.Segments[number] = lengthBytes;
            for (int i = 0; i < SpansOf(lengthBytes); i++)
                state.Generations.Remove(number + i); // from now on the segment's page words hold them
        });
    }

    /// <summary>
    /// Removes a segment from the list. If this fails, the file must stay, and nothing may be stored in it: the disk may list it or not.
    /// </summary>
    /// <param name="number">The segment.</param>
    /// <param name="generation">The first generation of later segments with its numbers.</param>
    internal void RemoveSegment(int number, uint generation) => Change(state =>
    {
        for (int i = 0; i < SpansOf(state.Segments[number]); i++)
            state.Generations[number + i] = generation;
        state.Segments.Remove(number);
    });

    /// <summary>Reserves entry versions: none above the limit is used before the file states it.</summary>
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
                + "Nothing was changed. Free disk space, or remove the cause of the error, and try again.", e);
        }
    }

    /// <summary>States that the pile uses a feature, before anything of it is stored.</summary>
    /// <exception cref="PileStorageException">The device refused.</exception>
    internal void Use(Feature feature)
    {
        if (_state.Features.Has(feature))
            return;
        try
        {
            Change(state => state.Features = state.Features.With(feature));
        }
        catch (IOException e)
        {
            throw new PileStorageException(
                $"The pile in '{_directory.Path}' can't state that it uses '{feature.Name}': {e.Message} "
                + "Nothing was changed. Free disk space, or remove the cause of the error, and try again.", e);
        }
    }

    /// <summary>States which set of table indexes matches the entries; any other set is invalid.</summary>
    /// <exception cref="IOException">The device refused.</exception>
    internal void SetIndexSet(Guid number) => Change(state => state.IndexSet = number);

    /// <summary>Begins a new log epoch: the segments hold everything in the old log.</summary>
    /// <param name="epoch">The new epoch.</param>
    /// <param name="flushedVersion">The highest entry version in the segments.</param>
    internal void RaiseLogEpoch(long epoch, ulong flushedVersion) => Change(state =>
    {
        Debug.Assert(epoch > state.LogEpoch, "Batches of an earlier epoch would become valid again.");
        Debug.Assert(!state.HasTracesOfCut, "Free marks of an earlier epoch in unrecovered pages would become final.");
        state.LogEpoch = epoch; // from here on marks of the epoch before are final, and its batches ignored
        state.FlushedVersion = flushedVersion;
        state.HasMarksOfCut = false;
    });

    /// <summary>Marks the pile as closed: everything is synced, the catalog is reconciled, and nothing may change any more.</summary>
    internal void MarkClean(ulong lastVersion)
    {
        _directory.Catalog.LengthRecorder = null; // no rewrite from here on: the length is stated for good
        Change(state =>
        {
            Debug.Assert(!state.IsClean, "The pile is closed already, and nothing may have changed since.");
            state.VersionLimit = lastVersion;
            state.LogEpoch += 2; // by 2: a failed checkpoint may have left a batch of the next epoch
            state.CatalogBytes = _directory.Catalog.LengthBytes;
            state.IsClean = true;
            state.HasTracesOfCut = false;
            state.HasMarksOfCut = false;
        });
    }

    /// <summary>
    /// After a failed write, writes this object's state again so that the disk agrees. Any successful change does the same.
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
    /// As <see cref="Reconcile"/>, and also reconciles the catalog: afterwards it has no record of a failed call, and the superblock states
    /// its whole length. Called after a flush has captured its changes and before they become durable, so that the types and tables they
    /// refer to can't be lost undetected.
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

    /// <summary>Writes a changed state; memory takes it over once the disk has it, otherwise keeps the old one.</summary>
    /// <remarks>The catalog's length is read before the write: later records are behind it, and failed ones never count.</remarks>
    private void Change(Action<SuperblockState> change) => Change(change, catalogBytes: null);

    private void ChangeUnlessOnDevice(Action<SuperblockState> change)
    {
        SuperblockState next = NextState(change, catalogBytes: null);
        bool skipsGenerations = _directory.LastShutdown.HasTracesOfCut; // from the sequence, which must differ between such owners
        if (skipsGenerations || !_directory.IsOnDevice || !next.HasSameContent(_state))
            Change(change);
    }

    // States the catalog's length before it is shortened. That is correct early too, as the longer file also has these bytes.
    private void RecordCatalogLength(long lengthBytes, Action shorten)
    {
        Debug.Assert(lengthBytes <= _directory.Catalog.LengthBytes, "The stated length would exceed the old file until it is replaced.");
        lock (_lock)
        {
            Change(static _ => { }, lengthBytes);
            shorten();
        }
    }

    private void Change(Action<SuperblockState> change, long? catalogBytes)
    {
        Debug.Assert(!_directory.IsReadOnly, "Only the owner writes the superblock.");
        lock (_lock)
        {
            SuperblockState next = NextState(change, catalogBytes);
            FileStatus? catalog = _directory.Catalog.StatusOnDevice; // before the write: a record appended meanwhile changes it
            try
            {
                _directory.OnSyncing(_directory.PathOf(PileDirectory.SuperblockName));
                _file.Write(next);
                _directory.OnSynced(_directory.PathOf(PileDirectory.SuperblockName));
            }
            catch
            {
                // counts a copy that was completely written, if any: the next write begins with the other copy
                _state.Sequence = next.Sequence;
                _isInDoubt = true;
                throw;
            }
            Debug.Assert(next.Sequence == _state.Sequence + 2, "Each copy has its own sequence, the later one the higher.");
            _state = next; // only now: nobody relies on what the disk may not have
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
