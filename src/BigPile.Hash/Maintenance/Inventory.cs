using System;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Hash.Space;

namespace BigPile.Hash.Maintenance;

/// <summary>Checks the extents and buckets of a closed file against the header, and finds the free space.</summary>
/// <remarks>
/// A record has exactly one link to it, from its bucket or from a record of the same bucket. So the sum over all records, weighted by
/// bucket and offset, equals the sum over all links, weighted by their bucket and target; a lost, changed or misplaced link, or a lost
/// record, changes one of them. Links that were swapped within one chain are not detected; walking the chain does that. Values are not
/// read, and keys only for their buckets.
/// </remarks>
internal sealed class Inventory(RecordFile file)
{
    private const long NoBucket = -2; // the key length is damaged

    private readonly List<Extent> _tombstones = [];
    private readonly List<Extent> _unclassed = []; // no class: the allocator writes when it coalesces them
    // The end of the last whole unit.
    private readonly long _end = file.Extents.End & -file.Layout.Alignment;
    private long _records;
    private long _lastSequence;
    // The weighted sum over records minus that over links.
    private ulong _unbalanced;

    /// <summary>
    /// Checks all, and gives the allocator what is free and has a class. Writes nothing. Returns what is wrong, or <see langword="null"/>.
    /// </summary>
    /// <param name="state">The state that the file was closed with.</param>
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

    /// <summary>Frees the remaining extents, which writes. A closed file has no use for tombstones.</summary>
    /// <remarks>A power cut while the file was cut to its size may leave any length behind it.</remarks>
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
            file.Extents.ClearWord(_end); // a part of a unit was not an extent; in the longer file it would be one
            _unclassed.Add(new Extent(_end, end - _end));
        }
        Debug.Assert(file.Extents.End == file.File.Size, "The area ends where the file does.");
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

    // Multiplying by an odd number separates the buckets; the mixing behind it (splitmix64) is a bijection.
    private static ulong WeightOf(long bucket, long target)
    {
        if (target == 0)
            return 0; // end of a chain
        ulong mixed = (ulong)target + (ulong)(bucket + 1) * 0x9E3779B97F4A7C15;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }
}
