using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Hash.Checking;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Hash.Space;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Maintenance;

/// <summary>Recovers a database that its last process did not close.</summary>
/// <remarks>
/// <para>
/// All extents are scanned, and of each key the record or tombstone with the highest sequence is valid. That is right after a kill, since a
/// dead record that was not hard-synchronized is marked before the call returns. It is right after a power cut, since the extent of a dead,
/// hard-synchronized record is kept until what outdates it is durable. After a power cut all chains are rewritten. After a kill they are
/// valid except for calls that had not returned; these are completed by single stores of links, so a kill during the recovery is like any
/// other. Anything else that is wrong with the chains is damage.
/// </para>
/// <para>
/// Works on as many buckets at a time as fit into its memory limit, with one scan for each part: the number of reads grows with the number
/// of records, not with the length of chains. After a kill it starts again from the beginning.
/// </para>
/// </remarks>
/// <param name="store">The file.</param>
/// <param name="head">The header, which states that the file is being recovered.</param>
/// <param name="state">The state before the recovery; <see langword="null"/> if neither of the two was intact.</param>
/// <param name="stripes">Receive the number of records, and the highest sequence.</param>
/// <param name="isPowerCut">Whether stores may be missing, as after a power cut.</param>
/// <param name="mostRecords">The limit of records in memory.</param>
internal sealed partial class Recovery(
    RecordStore store, Head head, FileState? state, SeqLockStripes stripes, bool isPowerCut, int mostRecords)
{
    private readonly RecordFile _file = store.File;
    private readonly bool _wasEverHard = state?.WasEverHard ?? true;
    // Records up to this sequence were durable.
    private readonly long _synced = state?.SyncedSequence ?? 0;
    // Records up to this sequence were in their chains, or dead.
    private readonly long _linkedSequence = Math.Max(state?.SyncedSequence ?? 0, state?.LastSequence ?? 0);
    private readonly ChainSurvey? _survey = !isPowerCut && state?.Phase == FilePhase.Open ? new ChainSurvey(store.File) : null;
    private readonly RecoveryIndex _index = new(store.File.Layout, mostRecords);
    private readonly ChainWriter _chains = new(store.File);
    private readonly KeyComparer _keys = new(store.File);
    private readonly List<Extent> _torn = []; // of half-written records
    // The records to link into the current bucket, and those to unlink from it.
    private readonly List<WholeRecord> _chain = [];
    private readonly List<WholeRecord> _dropped = [];
    // Records and tombstones of all buckets that are to be freed.
    private readonly List<WholeRecord> _outdated = [];
    private long _end;
    // How many intact records and tombstones were scanned.
    private long _whole;
    private long _lastSequence = state?.LastSequence ?? 0;
    private long _records;
    // How many keys had a durable record at the last hard synchronization.
    private long _synchronizedKeys;
    // How many records are in no chain, though nothing outdates them.
    private long _resurrected;
    private int _stripe; // spreads freed extents over the shards

    /// <summary>The number of half-written records.</summary>
    internal long TornRecords { get; private set; }

    /// <summary>The number of records that damage has destroyed or made doubtful.</summary>
    internal long DamagedRecords { get; private set; }

    /// <summary>Of the records at the last hard synchronization, how many are here, or were outdated by what is here.</summary>
    internal long SynchronizedRecords { get; private set; }

    internal void Run()
    {
        RoundUp();
        if (_survey == null)
            BeginAnew();
        CrashPoints.Pass(HashCrashPoint.RecoveryBucketsEmptied);
        for (long from = 0; from < _file.Layout.Buckets;)
            from = RunPart(from);
        Debug.Assert(_whole == _records + _outdated.Count, "Each intact record is in its chain, or outdated.");
        SetCounts();
        CrashPoints.Pass(HashCrashPoint.RecoveryLinked);
        if (isPowerCut && _wasEverHard)
            WriteRecoveredState();
        foreach (WholeRecord record in _outdated)
            FreeRecord(record);
        FreeTorn();
        if (isPowerCut && _wasEverHard)
            _file.File.Synchronize(hard: true);
        CrashPoints.Pass(HashCrashPoint.RecoveryMarked);
    }

    // The partial last unit is the beginning of an extent, or bytes that must not become one when the file grows.
    private void RoundUp()
    {
        _end = (_file.Extents.End + _file.Layout.Alignment - 1) & -_file.Layout.Alignment;
        if (_end == _file.Extents.End)
            return;
        _file.File.Truncate(_end);
        _file.Extents.SetEnd(_end);
    }

    // A kill's boot identifier is kept, a power cut's is cleared: if this recovery is killed, the next one finds the same ending.
    private void BeginAnew()
    {
        Guid start = isPowerCut ? Guid.Empty : head.State.BootId;
        head.Write(head.State with { Phase = FilePhase.Recovering, BootId = start });
        _file.EmptyBuckets();
    }

    // Dead marks destroy the evidence of what was hard-synchronized, so state the count first. Missing records stay in the count.
    private void WriteRecoveredState()
    {
        Debug.Assert(head.State.Phase == FilePhase.Recovering, "Until the marks are durable, an opening recovers.");
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
        Debug.Assert(_index.To > from && _index.To <= buckets, "Each part has at least one bucket.");
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
            _file.File.Truncate(kept); // nothing behind the last extent was ever used
        Debug.Assert(kept == _file.File.Size, "The area ends where the file does.");
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
            _whole += isFirst ? 1 : 0;
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
            if (bucket < _index.To) // the next part handles the others
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

    // Usually these all have one key.
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
            Debug.Assert(record.Sequence <= newest.Sequence, "The newest record of a key comes first.");
            isLinked |= record.IsLinked;
            if (record.Sequence <= _synced)
                atCut ??= record;
            else
                wasThere |= record.Kind != ExtentKind.Live; // it hides a durable record
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
        // The chain is intact and does not contain the record: it was removed and its tombstone is lost, or its link is.
        if (_survey != null && isChainWhole && !isLinked && newest.Sequence <= _linkedSequence)
            _resurrected++;
    }
}
