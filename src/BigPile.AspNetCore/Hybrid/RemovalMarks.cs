using System;
using System.Buffers.Binary;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>
/// Records when this process removed keys and tags. Second-level values that are older count as missing, even if the second level could not
/// be told of the removal. On a mapped pile the marks survive a restart.
/// </summary>
/// <remarks>
/// A mark is stored as 8 raw bytes rather than by the codec, because an application's own codec may know only its own types. Earlier
/// versions stored numbers through the codec. A mark that finds no space in the pile counts for all keys, in this process.
/// </remarks>
internal sealed class RemovalMarks(PileTable<object> table, TimeProvider time)
{
    /// <summary>How long a removal is remembered; entries of a second level should not live longer.</summary>
    internal static readonly TimeSpan Lifetime = TimeSpan.FromDays(1000);

    private static readonly EntryOptions NeverEvicted = new() { MaxAge = Lifetime, Priority = EntryPriority.NeverEvict };

    private readonly Lock _raising = new();
    private long _allUpTo; // what was made up to then counts as removed: a mark found no space; written under the lock

    internal ValueTask MarkKeyAsync(string key, CancellationToken stop) => MarkAsync("k:" + key, stop);

    internal ValueTask MarkTagAsync(string tag, CancellationToken stop) => MarkAsync("t:" + tag, stop);

    /// <summary>Whether the value's key or one of its tags was removed since the value was made.</summary>
    internal async ValueTask<bool> ConcernAsync(string key, SecondLevelHead head, CancellationToken stop)
    {
        CacheTable<string, object> marks = await table.GetAsync(stop).ConfigureAwait(false);
        if (!marks.IsReady || head.MadeAt <= Volatile.Read(ref _allUpTo))
            return true; // after a kill, until the old marks are found again
        if (IsMarked(marks, "k:" + key, head.MadeAt) || IsMarked(marks, "t:" + TagSet.All, head.MadeAt))
            return true;
        foreach (string tag in head.Tags)
        {
            if (IsMarked(marks, "t:" + tag, head.MadeAt))
                return true;
        }
        return false;
    }

    private static bool IsMarked(CacheTable<string, object> marks, string mark, long madeAt) =>
        marks.TryGet(mark, out object? removedAt)
        && (removedAt is byte[] bytes ? BinaryPrimitives.ReadInt64LittleEndian(bytes) : (long)removedAt) >= madeAt;

    private async ValueTask MarkAsync(string mark, CancellationToken stop)
    {
        CacheTable<string, object> marks = await table.GetAsync(stop).ConfigureAwait(false);
        long now = time.GetUtcNow().UtcTicks;
        var removedAt = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(removedAt, now);
        try
        {
            marks.Put(mark, removedAt, NeverEvicted);
        }
        catch (PileFullException)
        {
            lock (_raising) // the pile logs it
                Volatile.Write(ref _allUpTo, Math.Max(_allUpTo, now));
        }
    }
}
