using System;
using System.Collections.Generic;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Hash.Space;

namespace BigPile.Hash.Maintenance;

/// <summary>Goes through the rooms and buckets of a file that was closed, and compares them with what was stated.</summary>
/// <remarks>
/// Each record has exactly one link that leads to it, from its bucket or a record of the same bucket. So a sum over all records of their
/// buckets and offsets is the same sum over all links of the buckets they stand in and their targets, and a link that was lost, changed, or
/// took another's place is noticed, as is a record. Links of one chain that changed places are not: who looks at chains does that. Nothing
/// is written. Values are not looked at, and keys say no more than their buckets: who meets them does the rest.
/// </remarks>
internal sealed class Inventory(RecordFile file)
{
    private const long NoBucket = -2; // of a record whose key's length is damaged

    private readonly List<Extent> _tombstones = [];
    private readonly List<Extent> _unclassed = []; // that have no class: the stock writes when it joins them
    private readonly long _end = file.Extents.End & -file.Layout.Alignment;
    private long _records;
    private long _lastSequence;
    private ulong _unbalanced;

    /// <summary>Looks at all, and gives what is free to the stock; what is wrong, or <see langword="null"/>.</summary>
    /// <param name="state">What the file was closed with.</param>
    internal string? FindFault(in FileState state)
    {
        Count();
        BucketCache.ReadAll(file, (link, target) => _unbalanced -= WeightOf(file.Layout.BucketAt(link), target));
        if (_records == state.Records && _unbalanced == 0 && _lastSequence <= state.LastSequence)
            return null;
        file.Extents.Reset(file.Extents.End);
        if (_lastSequence > state.LastSequence)
            return $"its last sequence was {state.LastSequence:N0}, and a record has {_lastSequence:N0}";
        return _records != state.Records
            ? $"it was closed with {state.Records:N0} records, and {_records:N0} are there"
            : $"the links from offset {FileLayout.HeadBytes:N0} on do not lead to its {_records:N0} records";
    }

    /// <summary>Gives the rest to the stock, which writes. Tombstones of a closed file have nothing to hide.</summary>
    /// <remarks>A power cut while a closed file is cut to its size leaves it at any length behind that.</remarks>
    internal void FreeRest(PendingFrees pendingFrees)
    {
        long end = (_end + FileLayout.HeadBytes - 1) & -FileLayout.HeadBytes;
        if (end != file.File.Size)
        {
            file.File.Truncate(end);
            file.Extents.SetEnd(end);
        }
        if (end != _end)
        {
            file.Extents.ClearWord(_end); // a part of a unit was no room; now that the file is longer it would be
            _unclassed.Add(new Extent(_end, end - _end));
        }
        foreach (Extent extent in _unclassed)
            file.Extents.Free(0, extent);
        foreach (Extent extent in _tombstones)
            pendingFrees.MarkDeadAndFree(0, extent);
    }

    private void Count()
    {
        var scanner = new ExtentScanner(file, _end);
        for (int stripe = 0; scanner.MoveNext(); stripe = (stripe + 1) % SeqLockStripes.Count)
        {
            var extent = new Extent(scanner.Offset, scanner.Bytes);
            if (!scanner.IsRecord && ExtentClasses.HasClass(extent.Bytes, file.Layout.Alignment))
                file.Extents.Free(stripe, extent);
            else if (!scanner.IsRecord)
                _unclassed.Add(extent);
            else if (!scanner.Head.Word.IsLive)
                _tombstones.Add(extent);
            else
                CountRecord(scanner);
        }
    }

    private void CountRecord(ExtentScanner scanner)
    {
        _records++;
        _lastSequence = Math.Max(_lastSequence, scanner.Head.Sequence);
        long bucket = scanner.HasKey ? file.Layout.BucketOf(KeyHash.Of(scanner.Key(), file.Layout.Seed)) : NoBucket;
        _unbalanced += WeightOf(bucket, scanner.Offset) - WeightOf(bucket, scanner.Head.Next);
    }

    // The product with an odd number keeps two buckets apart, and the mixing behind it (splitmix64) loses nothing of the sum.
    private static ulong WeightOf(long bucket, long target)
    {
        if (target == 0)
            return 0; // the end of a chain
        ulong mixed = (ulong)target + (ulong)(bucket + 1) * 0x9E3779B97F4A7C15;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }
}
