using System;
using System.Buffers;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Hash;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Spill;

/// <summary>The entries that a table demoted at its limit: pending, or in the file.</summary>
/// <remarks>
/// <para>
/// For callers, a key is either in memory or here: its stripe lock is held to move, put or remove it. Only eviction takes no stripe lock,
/// as it runs in a critical region: it copies the entry under the bucket's lock, and its thread or the background writes the copy later. So
/// memory exceeds the limit by no more than <see cref="Capacity.DemotionBacklog"/> lets wait.
/// </para>
/// <para>
/// A failure costs evicted entries and nothing else. The file is created empty with its first entry, and deleted with the cache: a
/// restart finds the pile's entries only.
/// </para>
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class SpillStore : IDisposable
{
    /// <summary>Larger blocks are evicted for good: the copy is made under the bucket's lock.</summary>
    internal const long MaxPayloadBytes = 16 << 20;

    internal const int StripeCount = 512;

    private readonly KeyStripe[] _stripes = new KeyStripe[StripeCount]; // by the hash of the key

    /// <summary>Pending entries in the order of their eviction.</summary>
    private readonly ConcurrentQueue<PendingDemotion> _queue = new();
    private readonly SpillFile _file; // read and written under stripe locks; walked without
    private PromotionWatch[] _watches = []; // replaced as a whole, by compare-exchange
    private long _lost; // entries that were not written; interlocked
    private long _promoted; // entries; interlocked

    internal SpillStore(SpillFile file)
    {
        _file = file;
        for (int i = 0; i < StripeCount; i++)
            _stripes[i] = new KeyStripe();
    }

    /// <summary>The store of a table in a spill directory; null without one.</summary>
    internal static SpillStore? In(
        string? directory, Pile pile, int tableId, string tableName, Func<long> entries, Action entriesLost)
    {
        if (directory == null)
            return null;
        string path = Path.Combine(directory, $"{pile.Tables.Id:N}", $"table-{tableId}.hash");
        return new SpillStore(new SpillFile(path, tableName, pile.Tables.Logger, pile.Tables.Background, entries)
        {
            EntriesLost = entriesLost,
        });
    }

    /// <summary>The progress of sweeps through the file.</summary>
    internal SpillSweep Sweep { get; } = new();

    /// <summary>Entries in the file, and its size in bytes.</summary>
    internal (long Entries, long Bytes) Size => _file.Size;

    /// <summary>Entries promoted to memory.</summary>
    internal long Promoted => Volatile.Read(ref _promoted);

    /// <summary>
    /// Entries that could not be written because the disk was full or slow, or the file failed, and those lost with a failed file.
    /// </summary>
    internal long Lost => Volatile.Read(ref _lost) + _file.Lost;

    internal KeyStripe StripeOf(ulong hash) => _stripes[(int)(hash % StripeCount)];

    /// <summary>Adds a copy of an evicted entry, so that it can be found. The bucket's lock is held.</summary>
    /// <returns>The copy; null if it is too large.</returns>
    internal PendingDemotion? BeginDemotionLocked(ulong hash, ulong version, ReadOnlySpan<byte> payload, Range key)
    {
        if (payload.Length > MaxPayloadBytes)
        {
            CountLost();
            return null;
        }
        var entry = new PendingDemotion(hash, version, payload, key);
        StripeOf(hash).AddLocked(entry);
        return entry;
    }

    /// <summary>An evicted entry is not kept.</summary>
    internal void CountLost() => Interlocked.Increment(ref _lost);

    /// <summary>Queues a copy for writing, once no slot points to its entry. The bucket's lock is held the first time.</summary>
    /// <param name="entry">The copy.</param>
    /// <param name="slidesUntil">The expiry by a use that the copy does not reflect; 0: none.</param>
    internal void QueueLocked(PendingDemotion entry, long slidesUntil)
    {
        if (slidesUntil != 0)
            StripeOf(entry.Hash).ExtendExpiryLocked(entry, slidesUntil);
        _queue.Enqueue(entry); // from here on another thread may write it
    }

    /// <summary>Dequeues the next pending entry. It may have been removed from its stripe meanwhile.</summary>
    internal bool TryNext([NotNullWhen(true)] out PendingDemotion? entry) => _queue.TryDequeue(out entry);

    /// <summary>Writes an entry to the file. The stripe lock is held.</summary>
    /// <returns>Whether it was written.</returns>
    internal bool TryWriteStripeLocked(PendingDemotion entry)
    {
        Debug.Assert(StripeOf(entry.Hash).Lock.IsHeldByCurrentThread, "A write needs the key's stripe lock.");
        if (_file.TrySet(entry.Payload[entry.Key], entry.Payload))
            return true;
        CountLost();
        return false;
    }

    /// <summary>Copies the block of a key, if there is one. The stripe lock is held.</summary>
    /// <param name="hash">The key's hash.</param>
    /// <param name="key">The key.</param>
    /// <param name="into">Gets the block.</param>
    /// <param name="pending">The pending entry that holds the block; null: it is in the file.</param>
    internal bool TryReadStripeLocked(ulong hash, ReadOnlySpan<byte> key, PileBuffer into, out PendingDemotion? pending)
    {
        KeyStripe stripe = StripeOf(hash);
        Debug.Assert(stripe.Lock.IsHeldByCurrentThread, "A read needs the key's stripe lock.");
        // Pending before file: its version is the higher one.
        pending = stripe.Find(hash, key);
        if (pending == null)
            return _file.TryGet(key, into);
        into.Write(pending.Payload);
        return true;
    }

    /// <summary>Replaces the block of an entry that stays here. The stripe lock is held.</summary>
    internal void RewriteStripeLocked(ulong hash, ReadOnlySpan<byte> key, ReadOnlySpan<byte> block, PendingDemotion? pending)
    {
        KeyStripe stripe = StripeOf(hash);
        Debug.Assert(stripe.Lock.IsHeldByCurrentThread, "A rewrite needs the key's stripe lock.");
        // If the disk is full, a pending copy stays, without the use.
        if (_file.TrySet(key, block) && pending != null)
            stripe.Remove(pending);
    }

    /// <summary>Removes an entry that was promoted. The stripe lock is held.</summary>
    internal void EndPromotionStripeLocked(ulong hash, ReadOnlySpan<byte> key, PendingDemotion? pending)
    {
        KeyStripe stripe = StripeOf(hash);
        Debug.Assert(stripe.Lock.IsHeldByCurrentThread, "A promotion needs the key's stripe lock.");
        if (pending != null)
            stripe.Remove(pending);
        _ = _file.Remove(key);
        Interlocked.Increment(ref _promoted);
        // Under the stripe lock, which WatchPromotions passes after it has added its watch: an entry that misses the watch is in memory by
        // then.
        foreach (PromotionWatch watch in Volatile.Read(ref _watches))
            watch.Add(key.ToArray());
    }

    /// <summary>
    /// Removes the entries of a key below a version. The file's version is below all pending ones. The stripe lock is held.
    /// </summary>
    internal void RemoveStripeLocked(ulong hash, ReadOnlySpan<byte> key, ulong belowVersion = ulong.MaxValue)
    {
        KeyStripe stripe = StripeOf(hash);
        Debug.Assert(stripe.Lock.IsHeldByCurrentThread, "A removal needs the key's stripe lock.");
        stripe.RemoveBelow(hash, key, belowVersion);
        _ = _file.Remove(key);
    }

    /// <summary>Runs an action while all stripe locks are held, then removes everything.</summary>
    internal void ClearAfter(Action action)
    {
        int held = 0;
        try
        {
            for (; held < StripeCount; held++)
                _stripes[held].Lock.Enter(); // ascending; but for clears, no thread waits for one while it holds another
            action();
            foreach (KeyStripe stripe in _stripes)
                stripe.Clear();
            _file.Clear();
        }
        finally
        {
            while (--held >= 0)
                _stripes[held].Lock.Exit();
        }
    }

    /// <summary>Begins to record promotions.</summary>
    internal PromotionWatch WatchPromotions()
    {
        var watch = new PromotionWatch(ended => ChangeWatches(watches => [.. watches.Where(one => one != ended)]));
        ChangeWatches(watches => [.. watches, watch]);
        PassStripes(); // promotions under way are in memory now, or will be recorded
        return watch;
    }

    private void ChangeWatches(Func<PromotionWatch[], PromotionWatch[]> change)
    {
        PromotionWatch[] before;
        do
            before = Volatile.Read(ref _watches);
        while (Interlocked.CompareExchange(ref _watches, change(before), before) != before);
    }

    /// <summary>Acquires and releases each stripe lock in turn: work that held one before has ended.</summary>
    internal void PassStripes()
    {
        foreach (KeyStripe stripe in _stripes)
        {
            stripe.Lock.WaitUntilFree();
        }
    }

    /// <summary>Collects the keys of all pending entries, stripe by stripe.</summary>
    /// <returns>The keys. A thread may have dequeued an entry that it has not written yet; it is still in its stripe.</returns>
    internal List<byte[]> PendingKeys()
    {
        var keys = new List<byte[]>();
        PassStripes((_, entry) => keys.Add(entry.Payload[entry.Key].ToArray()));
        return keys;
    }

    /// <summary>Visits the pending entries of each stripe under its lock. The visitor may remove them.</summary>
    internal void PassStripes(Action<KeyStripe, PendingDemotion> visit)
    {
        foreach (KeyStripe stripe in _stripes)
        {
            lock (stripe.Lock)
            {
                foreach (PendingDemotion entry in stripe.Pending())
                    visit(stripe, entry);
            }
        }
    }

    /// <summary>Begins an enumeration of the file; <see langword="null"/> when there is none.</summary>
    internal IEnumerator<HashRecord>? BeginWalk() => _file.BeginWalk();

    /// <summary>Deletes the file. A caller that still holds a stripe lock finds nothing.</summary>
    public void Dispose()
    {
        // The file first: a drain that still holds a stripe lock then writes nothing. The copy that it reads goes under that lock.
        _file.Dispose();
        foreach (KeyStripe stripe in _stripes)
        {
            lock (stripe.Lock)
                stripe.Clear();
        }
    }
}

/// <summary>The keys promoted to memory since a walk began: the walk may have missed them both in memory and in the file.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class PromotionWatch(Action<PromotionWatch> end) : IDisposable
{
    private const int MostKeys = 1 << 16; // a walk may be abandoned

    private readonly ConcurrentQueue<byte[]> _keys = new(); // added under stripe locks, taken by the walk

    /// <summary>The number of keys so far. A walk has not missed what is promoted behind it.</summary>
    internal int Count => _keys.Count;

    /// <summary>Whether a walk was so slow that keys were left out, and must begin anew.</summary>
    internal bool IsOverrun { get; private set; }

    internal void Add(byte[] key)
    {
        if (_keys.Count < MostKeys)
            _keys.Enqueue(key);
        else
            IsOverrun = true;
    }

    internal bool TryNext([NotNullWhen(true)] out byte[]? key) => _keys.TryDequeue(out key);

    /// <summary>Ends the watch.</summary>
    public void Dispose() => end(this);
}
