using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Hash.Space;

namespace BigPile.Hash.Maintenance;

/// <summary>Makes a database whole whose last process did not close it.</summary>
/// <remarks>
/// <para>
/// All rooms are scanned, and of each key the record or tombstone of the highest sequence counts. That is right after a kill, since what is
/// dead and was not hard-synchronized is marked before the call that killed it returns; and after a power cut, since what is dead and was
/// hard-synchronized keeps its room until the device has what outdates it. Behind a power cut chains are written anew. Behind a kill they
/// are right but for changes that had not returned, which are brought to an end by single links: so a kill of that is like any other. What
/// else is wrong with them is damage.
/// </para>
/// <para>
/// It is done for as many buckets at a time as have records enough for the memory that it takes, with one scan for each: so the number of
/// reads grows with that of records, and not with the length of chains. Ended by a kill, it is done again from the beginning.
/// </para>
/// </remarks>
/// <param name="store">The file.</param>
/// <param name="head">Its head, which says that it is being recovered.</param>
/// <param name="state">What the head said before; none when neither of its two states was whole.</param>
/// <param name="stripes">Get the number of records, and the highest sequence.</param>
/// <param name="isPowerCut">Whether the device may lack something.</param>
/// <param name="mostRecords">How many records there may be in memory.</param>
internal sealed class Recovery(RecordStore store, Head head, FileState? state, SeqLockStripes stripes, bool isPowerCut, int mostRecords)
{
    private readonly RecordFile _file = store.File;
    private readonly bool _wasEverHard = state?.WasEverHard ?? true;
    private readonly long _synced = state?.SyncedSequence ?? 0;
    private readonly long _linkedSequence = Math.Max(state?.SyncedSequence ?? 0, state?.LastSequence ?? 0);
    private readonly ChainSurvey? _survey = !isPowerCut && state?.Phase == FilePhase.Open ? new ChainSurvey(store.File) : null;
    private readonly RecoveryIndex _index = new(store.File.Layout, mostRecords);
    private readonly ChainWriter _chains = new(store.File);
    private readonly KeyComparer _keys = new(store.File);
    private readonly List<Extent> _torn = [];
    private readonly List<WholeRecord> _chain = [];
    private readonly List<WholeRecord> _dropped = [];
    private readonly List<WholeRecord> _outdated = [];
    private long _end;
    private long _lastSequence = state?.LastSequence ?? 0;
    private long _records;
    private long _synchronizedKeys;
    private long _resurrected;
    private int _stripe;

    /// <summary>Half-written records.</summary>
    internal long TornRecords { get; private set; }

    /// <summary>Records that damage has taken or put in doubt.</summary>
    internal long DamagedRecords { get; private set; }

    /// <summary>Of the records at the last hard synchronization, those that are here, or what outdates them.</summary>
    internal long SynchronizedRecords { get; private set; }

    internal void Run()
    {
        RoundUp();
        if (_survey == null)
            BeginAnew();
        store.Pass(HashCrashPoint.RecoveryBucketsEmptied);
        for (long from = 0; from < _file.Layout.Buckets;)
            from = RunPart(from);
        SetCounts();
        store.Pass(HashCrashPoint.RecoveryLinked);
        if (isPowerCut && _wasEverHard)
            WriteRecoveredState();
        foreach (WholeRecord record in _outdated)
            FreeRecord(record);
        FreeTorn();
        if (isPowerCut && _wasEverHard)
            _file.File.Synchronize(hard: true);
        store.Pass(HashCrashPoint.RecoveryMarked);
    }

    // What a cut has left of the last unit is a room's beginning, or bytes that are none and must not become one when the file grows.
    private void RoundUp()
    {
        _end = (_file.Extents.End + _file.Layout.Alignment - 1) & -_file.Layout.Alignment;
        if (_end == _file.Extents.End)
            return;
        _file.File.Truncate(_end);
        _file.Extents.SetEnd(_end);
    }

    // It keeps the start that it was written in: ended itself, it begins again as what it is.
    private void BeginAnew()
    {
        Guid start = isPowerCut ? Guid.Empty : head.State.BootId;
        head.Write(head.State with { Phase = FilePhase.Recovering, BootId = start });
        _file.EmptyBuckets();
    }

    // Marked dead, records that were there at the last hard synchronization are no evidence of it any more. What is lacking stays stated.
    private void WriteRecoveredState()
    {
        _file.File.Synchronize(hard: true);
        head.Write(head.State with { SyncedSequence = store.SyncedSequence, Records = _records + DamagedRecords });
        _file.File.Synchronize(hard: true);
    }

    private long RunPart(long from)
    {
        long buckets = _file.Layout.Buckets;
        _index.Begin(from, _survey?.Run(from, buckets, mostRecords) ?? buckets);
        Scan(isFirst: from == 0);
        EndSurvey();
        Resolve(CollectionsMarshal.AsSpan(_index.Sort()));
        return _index.To;
    }

    private void Scan(bool isFirst)
    {
        var scanner = new ExtentScanner(_file, _end, isFirst ? _file.Extents.ClearWord : null);
        var gap = default(Extent);
        while (scanner.MoveNext())
        {
            var extent = new Extent(scanner.Offset, scanner.Bytes);
            if (isFirst && gap.Bytes != 0)
                FreeExtent(gap);
            gap = scanner.IsExtent ? default : extent;
            if (scanner.IsRecord)
                Take(scanner, isFirst);
            else if (scanner.IsExtent && isFirst)
                FreeExtent(extent);
        }
        if (!isFirst)
            return;
        long usedEnd = gap.Bytes != 0 ? gap.Offset : scanner.Offset;
        long kept = (usedEnd + FileLayout.HeadBytes - 1) & -FileLayout.HeadBytes;
        if (kept != _file.File.Size)
            _file.File.Truncate(kept); // behind the last room there is nothing that was ever used
        _file.Extents.SetEnd(kept);
        if (kept > usedEnd)
            FreeExtent(new Extent(usedEnd, kept - usedEnd));
        _end = kept;
    }

    private void Take(ExtentScanner scanner, bool isFirst)
    {
        bool isWhole = scanner.Matches();
        bool isLinked = _survey?.IsLinked(scanner.Offset, isWhole) == true;
        if (isWhole)
        {
            ReadOnlySpan<byte> key = scanner.Key();
            RecordHead record = scanner.Head;
            _lastSequence = Math.Max(_lastSequence, record.Sequence);
            _index.Add(new WholeRecord(
                KeyHash.Of(key, _file.Layout.Seed), scanner.Offset, record.Sequence, (uint)record.Word.Units,
                record.TagFor(key, scanner.Offset, _file.Layout), record.Word.Kind, isLinked));
        }
        else if (isFirst)
        {
            _torn.Add(new Extent(scanner.Offset, scanner.Bytes));
        }
    }

    private void EndSurvey()
    {
        if (_survey == null)
            return;
        _survey.EndBefore(_index.To);
        foreach (long bucket in _survey.Broken)
        {
            if (bucket < _index.To) // the next part looks at the others again
                _file.WriteLink(_file.Layout.LinkOf(bucket), 0, 0);
        }
    }

    private void Resolve(Span<WholeRecord> records)
    {
        for (int first = 0; first < records.Length;)
        {
            long bucket = _file.Layout.BucketOf(records[first].Hash);
            bool isWhole = _survey?.IsBroken(bucket) == false;
            _chain.Clear();
            _dropped.Clear();
            while (first < records.Length && _file.Layout.BucketOf(records[first].Hash) == bucket)
            {
                int end = first + 1;
                while (end < records.Length && records[end].Hash == records[first].Hash)
                    end++;
                ResolveHash(records[first..end], isWhole);
                first = end;
            }
            if (isWhole)
                _chains.Repair(bucket, _chain, _dropped);
            else
                _chains.Write(bucket, _chain);
            _records += _chain.Count;
        }
    }

    // Records of one hash, which is one key but for a few.
    private void ResolveHash(Span<WholeRecord> records, bool isChainWhole)
    {
        while (records.Length > 0)
        {
            int same = 1;
            for (int i = 1; i < records.Length; i++)
            {
                if (!_keys.AreEqual(records[0], records[i]))
                    continue;
                (records[same], records[i]) = (records[i], records[same]);
                same++;
            }
            ResolveKey(records[..same], isChainWhole);
            records = records[same..];
            records.Sort(static (one, other) => other.Sequence.CompareTo(one.Sequence));
        }
    }

    private void ResolveKey(ReadOnlySpan<WholeRecord> records, bool isChainWhole)
    {
        WholeRecord newest = records[0];
        bool isLinked = false;
        WholeRecord? atCut = null;
        bool wasThere = false;
        foreach (ref readonly WholeRecord record in records)
        {
            isLinked |= record.IsLinked;
            if (record.Sequence <= _synced)
                atCut ??= record;
            else
                wasThere |= record.Kind != ExtentKind.Live; // it hides what the device had
            if (newest.IsLive && record.Offset == newest.Offset)
                continue;
            _outdated.Add(record);
            if (record.IsLinked)
                _dropped.Add(record);
        }
        if (wasThere || atCut?.IsLive == true)
            _synchronizedKeys++;
        if (!newest.IsLive)
            return;
        _chain.Add(newest);
        // The chain is whole and without it: either it was removed, and what said so is gone; or it lost its link.
        if (_survey != null && isChainWhole && !isLinked && newest.Sequence <= _linkedSequence)
            _resurrected++;
    }

    // A tombstone stays until the device has the marks of what it hides: cut off between the two, what is dead would come back.
    private void FreeRecord(in WholeRecord record)
    {
        var extent = new Extent(record.Offset, (long)record.Units << _file.Layout.AlignmentShift);
        if (!record.IsLive && _wasEverHard)
            store.PendingFrees.DeferTombstone(NextStripe(), extent);
        else if (record.IsLive && !isPowerCut && record.Sequence <= _synced)
            store.PendingFrees.DeferRecord(NextStripe(), extent);
        else
            store.PendingFrees.MarkDeadAndFree(NextStripe(), extent);
    }

    private void FreeTorn()
    {
        foreach (Extent extent in _torn)
        {
            TornRecords += _survey?.IsDamaged(extent.Offset) == true ? 0 : 1;
            store.PendingFrees.MarkDeadAndFree(NextStripe(), extent);
        }
    }

    private void FreeExtent(Extent extent) => _file.Extents.Free(NextStripe(), extent);

    private int NextStripe() => _stripe = (_stripe + 1) % SeqLockStripes.Count;

    private void SetCounts()
    {
        for (int i = 0; i < SeqLockStripes.Count; i++)
            stripes[i].Sequence = _lastSequence;
        stripes[0].Records = _records; // the sum is all that counts
        store.SyncedSequence = !isPowerCut ? _synced : _wasEverHard ? _lastSequence : 0;
        // What a kill leaves is one of the states that a power cut leaves. Links and records that are gone together are no gap in chains.
        long missing = CountMissing();
        DamagedRecords = Math.Max(missing, _survey != null ? _survey.Damaged + _resurrected : 0);
        SynchronizedRecords = Math.Max((state?.Records ?? 0) - missing, 0);
    }

    // Of those that the device had at the last hard synchronization each is here, or what outdates it.
    private long CountMissing()
    {
        if (state is not { } known)
            return 1; // a kill or a power cut can tear one of the two states, and no more
        if (known.Phase == FilePhase.Closed)
            return Math.Max(known.Records - _records, 0);
        return _wasEverHard ? Math.Max(known.Records - _synchronizedKeys, 0) : 0;
    }
}
