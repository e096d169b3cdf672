using System;
using System.Globalization;
using System.Threading;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Memory;

namespace BigPile.Caching.Persistence;

/// <summary>
/// The index of one table in files: one for head and counters, one for buckets, and, once there are any, one for overflow lines.
/// </summary>
internal sealed unsafe class FileIndexStorage : IndexStorage
{
    internal const int HeadBytes = 64 << 10;

    /// <summary>The prefix of the names of head files.</summary>
    internal const string HeadPrefix = "index-";

    /// <summary>The prefix of the names of bucket files.</summary>
    internal const string BucketsPrefix = "buckets-";

    /// <summary>The prefix of the names of overflow files.</summary>
    internal const string OverflowPrefix = "overflow-";

    /// <summary>The prefix of the names of the windows of feeds.</summary>
    internal const string FeedPrefix = "feed-";

    private const int CellsOffset = 4096;
    private const int ChecksumOffset = HeadBytes - IndexChecksums.AreaBytes;

    private readonly FileLines _buckets;
    private readonly FileLines _overflow;
    private readonly GrowingMap _map;

    private FileIndexStorage(GrowingMap head, GrowingMap buckets, Func<GrowingMap> overflow, IntentLog intents)
    {
        _map = head;
        _buckets = new FileLines(() => buckets, preparesChunks: true);
        _overflow = new FileLines(overflow, preparesChunks: false);
        _ = _buckets.Take(0, touches: false);
        Intents = intents;
    }

    internal override bool OutlivesProcess => true;

    internal override IndexHead* Head => (IndexHead*)_map.Start;

    internal override LineSource Buckets => _buckets;

    internal override LineSource Overflow => _overflow;

    internal override byte* Cells => _map.Start + CellsOffset;

    internal override IntentLog? Intents { get; }

    /// <summary>The area of the checksums that a clean stop writes.</summary>
    internal byte* ChecksumArea => _map.Start + ChecksumOffset;

    internal static string[] NamesOf(int tableId) =>
        [Name(HeadPrefix, tableId), Name(BucketsPrefix, tableId), Name(OverflowPrefix, tableId)];

    internal static string FeedNameOf(int tableId) => Name(FeedPrefix, tableId);

    /// <summary>Makes the files of an index without entries. Deletes former files of the id.</summary>
    /// <exception cref="System.IO.IOException">The disk is full, or the directory can't be written.</exception>
    internal static FileIndexStorage Create(IndexFiles files, int tableId, ulong formerUpTo)
    {
        files.Delete(tableId);
        GrowingMap? map = null;
        try
        {
            map = GrowingMap.Create(files.Directory, Name(HeadPrefix, tableId), HeadBytes, HeadBytes, MapUse.Few);
            var head = (IndexHead*)map.Start;
            head->Begin();
            head->SetIdentity(files.PileId, tableId, formerUpTo, TableCounters.UsualOwnCells);
            new TableCounters(map.Start + CellsOffset, head->OwnCells, head->Base).Clear();
            GrowingMap buckets = CreateLines(files, BucketsPrefix, tableId);
            return new FileIndexStorage(map, buckets, () => CreateLines(files, OverflowPrefix, tableId), files.Intents);
        }
        catch
        {
            map?.Dispose();
            files.TryDelete(tableId);
            throw;
        }
    }

    /// <summary>Opens the files of a complete index; null if there is none that can be trusted.</summary>
    /// <param name="files">The files of all tables.</param>
    /// <param name="tableId">The table.</param>
    /// <param name="formerUpTo">The version up to which entries of the id belong to a dropped table; null: any.</param>
    /// <exception cref="System.IO.IOException">The files can't be used.</exception>
    internal static FileIndexStorage? TryOpen(IndexFiles files, int tableId, ulong? formerUpTo)
    {
        GrowingMap? map = null;
        GrowingMap? buckets = null;
        GrowingMap? overflow = null;
        bool isOpen = false;
        try
        {
            map = GrowingMap.TryOpen(
                files.Directory, Name(HeadPrefix, tableId), HeadBytes, HeadBytes, HeadBytes, HeadBytes, MapUse.Few);
            if (map == null || !IsUsable((IndexHead*)map.Start, files, tableId, formerUpTo))
                return null;
            var head = (IndexHead*)map.Start;
            buckets = TryOpenLines(files, BucketsPrefix, tableId, head->BucketCount);
            overflow = head->OverflowEnd > 1 ? TryOpenLines(files, OverflowPrefix, tableId, head->OverflowEnd) : null;
            isOpen = buckets != null && (overflow != null || head->OverflowEnd <= 1);
            return isOpen
                ? new FileIndexStorage(map, buckets!, () => overflow ?? CreateLines(files, OverflowPrefix, tableId), files.Intents)
                : null;
        }
        finally
        {
            if (!isOpen)
            {
                map?.Dispose();
                buckets?.Dispose();
                overflow?.Dispose();
            }
        }
    }

    /// <inheritdoc/>
    internal override void MarkWhole() => Volatile.Write(ref Head->State, IndexHead.Whole);

    /// <summary>Writes the files through to the device.</summary>
    /// <exception cref="System.IO.IOException">The device refused.</exception>
    internal void Flush()
    {
        _overflow.Map?.Flush();
        _buckets.Map?.Flush();
        _map.Flush();
    }

    public override void Dispose()
    {
        _overflow.Dispose();
        _buckets.Dispose();
        _map.Dispose();
    }

    private static bool IsUsable(IndexHead* head, IndexFiles files, int tableId, ulong? formerUpTo) =>
        head->HasIdentity(files.PileId, tableId, formerUpTo ?? head->FormerUpTo) && head->HasRightSizes && head->State == IndexHead.Whole
        && head->OwnCells is > 0 and <= TableCounters.MostOwnCells && files.GoesWith(head);

    private static GrowingMap? TryOpenLines(IndexFiles files, string prefix, int tableId, ulong lines) => GrowingMap.TryOpen(
        files.Directory, Name(prefix, tableId), FileLines.BytesFor(lines), FileLines.MostBytesFor(lines + 1), LineSource.ChunkBytes,
        LineSource.ChunkBytes, MapUse.Large); // lines + 1: an interrupted split may have made one bucket more

    private static GrowingMap CreateLines(IndexFiles files, string prefix, int tableId) => GrowingMap.Create(
        files.Directory, Name(prefix, tableId), Environment.SystemPageSize, LineSource.ChunkBytes, MapUse.Large);

    private static string Name(string prefix, int tableId) => string.Create(CultureInfo.InvariantCulture, $"{prefix}{tableId:d6}");
}
