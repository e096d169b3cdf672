using System;
using System.Globalization;
using System.Threading;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Memory;

namespace BigPile.Caching.Persistence;

/// <summary>
/// The index of one table in two files: head, counters and buckets in one, overflow lines, once there are any, in the other.
/// </summary>
internal sealed unsafe class FilePlace : IndexPlace
{
    /// <summary>What a file of buckets begins with.</summary>
    internal const int HeadBytes = 64 << 10;

    /// <summary>What the names of files of buckets begin with.</summary>
    internal const string BucketsPrefix = "index-";

    /// <summary>What the names of files of overflow lines begin with.</summary>
    internal const string OverflowPrefix = "overflow-";

    private const int CellsOffset = 4096;
    private const int SealOffset = HeadBytes - IndexSeal.AreaBytes;

    private readonly FileLines _buckets;
    private readonly FileLines _overflow;
    private readonly GrowingMap _map;

    private FilePlace(GrowingMap buckets, Func<GrowingMap> overflow, ChangeNotes notes)
    {
        _map = buckets;
        _buckets = new FileLines(() => buckets, HeadBytes, preparesChunks: true);
        _overflow = new FileLines(overflow, headBytes: 0, preparesChunks: false);
        _ = _buckets.Take(0, touches: false);
        Notes = notes;
    }

    internal override bool OutlivesProcess => true;

    internal override IndexHead* Head => (IndexHead*)_map.Start;

    internal override LineSource Buckets => _buckets;

    internal override LineSource Overflow => _overflow;

    internal override byte* Cells => _map.Start + CellsOffset;

    internal override ChangeNotes? Notes { get; }

    /// <summary>Where the checksums of a clean stop are.</summary>
    internal byte* SealArea => _map.Start + SealOffset;

    internal static string BucketsName(int tableId) => Name(BucketsPrefix, tableId);

    internal static string OverflowName(int tableId) => Name(OverflowPrefix, tableId);

    /// <summary>Makes the files of an index without entries.</summary>
    /// <exception cref="System.IO.IOException">The disk is full, or the directory can't be written.</exception>
    internal static FilePlace Create(IndexFiles files, int tableId, ulong formerUpTo)
    {
        files.Delete(tableId);
        GrowingMap buckets = GrowingMap.Create(
            files.Directory, BucketsName(tableId), FileLines.BytesFor(HeadBytes, TableIndex.MinBuckets),
            FileLines.FirstBytes(HeadBytes), files.WantsHugePages);
        var head = (IndexHead*)buckets.Start;
        head->Begin();
        head->SetIdentity(files.PileId, tableId, formerUpTo, TableCounters.UsualOwnCells);
        return new FilePlace(buckets, () => CreateOverflow(files, tableId), files.Notes);
    }

    /// <summary>Opens the files of an index with all its entries; null when there is none that can be trusted.</summary>
    /// <param name="files">The files of all tables.</param>
    /// <param name="tableId">The table.</param>
    /// <param name="formerUpTo">The version up to which its id was another table's; null: any.</param>
    /// <exception cref="System.IO.IOException">The files can't be used.</exception>
    internal static FilePlace? TryOpen(IndexFiles files, int tableId, ulong? formerUpTo)
    {
        GrowingMap? buckets = GrowingMap.TryOpen(
            files.Directory, BucketsName(tableId), FileLines.BytesFor(HeadBytes, TableIndex.MinBuckets),
            FileLines.FirstBytes(HeadBytes), LineSource.ChunkBytes, files.WantsHugePages);
        GrowingMap? overflow = null;
        try
        {
            if (buckets == null || !IsUsable(buckets, files.PileId, tableId, formerUpTo))
                return Close(buckets);
            uint overflowEnd = ((IndexHead*)buckets.Start)->OverflowEnd;
            if (overflowEnd > 1)
            {
                overflow = GrowingMap.TryOpen(
                    files.Directory, OverflowName(tableId), FileLines.BytesFor(0, overflowEnd), FileLines.FirstBytes(0),
                    LineSource.ChunkBytes, files.WantsHugePages);
                if (overflow == null)
                    return Close(buckets);
            }
        }
        catch
        {
            buckets?.Dispose();
            throw;
        }
        return new FilePlace(buckets, () => overflow ?? CreateOverflow(files, tableId), files.Notes);
    }

    /// <inheritdoc/>
    internal override void MarkWhole() => Volatile.Write(ref Head->State, IndexHead.Whole);

    /// <summary>Returns when the device has all that was stored.</summary>
    /// <exception cref="System.IO.IOException">The device refused.</exception>
    internal void Flush()
    {
        _overflow.Map?.Flush();
        _map.Flush();
    }

    public override void Dispose()
    {
        _overflow.Dispose();
        _buckets.Dispose();
    }

    private static bool IsUsable(GrowingMap buckets, Guid pileId, int tableId, ulong? formerUpTo)
    {
        var head = (IndexHead*)buckets.Start;
        return head->HasIdentity(pileId, tableId, formerUpTo ?? head->FormerUpTo) && head->HasRightSizes && head->State == IndexHead.Whole
            && head->OwnCells is > 0 and <= TableCounters.MostOwnCells
            && FileLines.BytesFor(HeadBytes, head->BucketCount) <= buckets.LengthBytes;
    }

    private static FilePlace? Close(GrowingMap? map)
    {
        map?.Dispose();
        return null;
    }

    private static GrowingMap CreateOverflow(IndexFiles files, int tableId) => GrowingMap.Create(
        files.Directory, OverflowName(tableId), Environment.SystemPageSize, FileLines.FirstBytes(0), files.WantsHugePages);

    private static string Name(string prefix, int tableId) => string.Create(CultureInfo.InvariantCulture, $"{prefix}{tableId:d6}");
}
