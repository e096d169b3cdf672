using System;
using System.Buffers;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading;
using BigPile.Hash;

namespace BigPile.Caching.Spill;

/// <summary>What has left the memory of a table at its limit: on its way to a file, or there.</summary>
/// <remarks>
/// <para>
/// A key is in memory or here, for all that can be seen from outside: whoever moves, puts or removes one holds the gate of its stripe. Only
/// eviction takes no gate, as it runs inside the pile: it stages a copy, under the lock of the entry's bucket, and the thread writes what
/// is staged once it is outside again. So memory holds no more than what the threads are about to write.
/// </para>
/// <para>
/// What fails here costs entries that were evicted, and nothing else. The file begins empty each time the cache is made, and goes with it:
/// after a restart only the pile's entries are there.
/// </para>
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class SpillStore : IDisposable
{
    /// <summary>Larger blocks are evicted and not kept: they are copied under the lock of their bucket.</summary>
    internal const long MaxPayloadBytes = 16 << 20;

    internal const int StripeCount = 512;

    private readonly KeyStripe[] _stripes = new KeyStripe[StripeCount];
    private readonly ConcurrentQueue<PendingDemotion> _queue = new();
    private readonly SpillFile _file;
    private PromotionWatch[] _watches = []; // replaced as a whole
    private long _lost;
    private long _promoted;

    internal SpillStore(SpillFile file)
    {
        _file = file;
        for (int i = 0; i < StripeCount; i++)
            _stripes[i] = new KeyStripe();
    }

    /// <summary>How far sweeps have come.</summary>
    internal SpillSweep Sweep { get; } = new();

    /// <summary>The entries in the file, and its bytes.</summary>
    internal (long Entries, long Bytes) Size => _file.Size;

    /// <summary>The entries that have come back.</summary>
    internal long Promoted => Interlocked.Read(ref _promoted);

    /// <summary>The entries that could not be written, as there was no room or the file failed; and those of a file that failed.</summary>
    internal long Lost => Interlocked.Read(ref _lost) + _file.Lost;

    /// <summary>The gate of a key.</summary>
    internal KeyStripe StripeOf(ulong hash) => _stripes[(int)(hash % StripeCount)];

    /// <summary>Copies an entry that is evicted, so that it is found. The lock of its bucket is held.</summary>
    /// <returns>The copy; none if it is too large.</returns>
    internal PendingDemotion? BeginDemotionLocked(ulong hash, ulong version, ReadOnlySpan<byte> payload, Range key)
    {
        if (payload.Length > MaxPayloadBytes)
        {
            Interlocked.Increment(ref _lost);
            return null;
        }
        var entry = new PendingDemotion(hash, version, payload, key);
        StripeOf(hash).AddLocked(entry);
        return entry;
    }

    /// <summary>Has a copy written, once no slot leads to its entry any more. The lock of the bucket is held.</summary>
    /// <param name="entry">The copy.</param>
    /// <param name="slidesUntil">The expiry that follows from a use which the copy does not have; or 0.</param>
    internal void QueueLocked(PendingDemotion entry, long slidesUntil)
    {
        if (slidesUntil != 0)
            StripeOf(entry.Hash).ExtendExpiryLocked(entry, slidesUntil);
        _queue.Enqueue(entry);
    }

    /// <summary>The next entry that waits to be written; it may have been taken out meanwhile.</summary>
    internal bool TryNext([NotNullWhen(true)] out PendingDemotion? entry) => _queue.TryDequeue(out entry);

    /// <summary>Writes an entry to the file. The gate is held.</summary>
    /// <returns>Whether it could be.</returns>
    internal bool TryWriteStripeLocked(PendingDemotion entry)
    {
        Debug.Assert(StripeOf(entry.Hash).Lock.IsHeldByCurrentThread, "Only who holds a key's gate writes it.");
        if (_file.TrySet(entry.Payload[entry.Key], entry.Payload))
            return true;
        Interlocked.Increment(ref _lost);
        return false;
    }

    /// <summary>Copies the block of a key, if there is one. The gate is held.</summary>
    /// <param name="hash">The key's hash.</param>
    /// <param name="key">The key.</param>
    /// <param name="into">Gets the block.</param>
    /// <param name="pending">Where it was, if it is not in the file yet.</param>
    internal bool TryReadStripeLocked(ulong hash, ReadOnlySpan<byte> key, PileBuffer into, out PendingDemotion? pending)
    {
        KeyStripe stripe = StripeOf(hash);
        Debug.Assert(stripe.Lock.IsHeldByCurrentThread, "Only who holds a key's gate may rely on what it reads.");
        pending = stripe.Find(hash, key);
        if (pending == null)
            return _file.TryGet(key, into);
        into.Write(pending.Payload);
        return true;
    }

    /// <summary>Has an entry that stays be another block from now on. The gate is held.</summary>
    internal void RewriteStripeLocked(ulong hash, ReadOnlySpan<byte> key, ReadOnlySpan<byte> block, PendingDemotion? pending)
    {
        KeyStripe stripe = StripeOf(hash);
        Debug.Assert(stripe.Lock.IsHeldByCurrentThread, "Only who holds a key's gate changes it.");
        if (_file.TrySet(key, block) && pending != null)
            stripe.Remove(pending);
    }

    /// <summary>Forgets an entry that is in memory again, as it was read. The gate is held.</summary>
    internal void EndPromotionStripeLocked(ulong hash, ReadOnlySpan<byte> key, PendingDemotion? pending)
    {
        KeyStripe stripe = StripeOf(hash);
        Debug.Assert(stripe.Lock.IsHeldByCurrentThread, "Only who holds a key's gate moves it.");
        if (pending != null)
            stripe.Remove(pending);
        _ = _file.Remove(key);
        Interlocked.Increment(ref _promoted);
        foreach (PromotionWatch watch in Volatile.Read(ref _watches))
            watch.Add(key.ToArray());
    }

    /// <summary>Forgets what a key has here below a version; what the file has is below all that is staged. The gate is held.</summary>
    internal void RemoveStripeLocked(ulong hash, ReadOnlySpan<byte> key, ulong belowVersion = ulong.MaxValue)
    {
        KeyStripe stripe = StripeOf(hash);
        Debug.Assert(stripe.Lock.IsHeldByCurrentThread, "Only who holds a key's gate removes it.");
        stripe.RemoveBelow(hash, key, belowVersion);
        _ = _file.Remove(key);
    }

    /// <summary>Does something while nobody moves, puts or removes a key; then forgets everything.</summary>
    internal void ClearAfter(Action action)
    {
        int held = 0;
        try
        {
            for (; held < StripeCount; held++)
                _stripes[held].Lock.Enter();
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

    /// <summary>Begins to note what comes back.</summary>
    internal PromotionWatch WatchPromotions()
    {
        var watch = new PromotionWatch(ended => ChangeWatches(watches => [.. watches.Where(one => one != ended)]));
        ChangeWatches(watches => [.. watches, watch]);
        PassStripes(); // what is on its way back is there, or will be noted
        return watch;
    }

    private void ChangeWatches(Func<PromotionWatch[], PromotionWatch[]> change)
    {
        PromotionWatch[] before;
        do
            before = Volatile.Read(ref _watches);
        while (Interlocked.CompareExchange(ref _watches, change(before), before) != before);
    }

    /// <summary>Waits until those have ended who hold a gate now.</summary>
    internal void PassStripes()
    {
        foreach (KeyStripe stripe in _stripes)
        {
            lock (stripe.Lock)
            {
                // nothing: whoever was inside has left
            }
        }
    }

    /// <summary>Passes all gates.</summary>
    /// <returns>The keys of what waited to be written: a thread may have taken it out, and not come to write it yet.</returns>
    internal List<byte[]> PendingKeys()
    {
        var keys = new List<byte[]>();
        PassStripes((_, entry) => keys.Add(entry.Payload[entry.Key].ToArray()));
        return keys;
    }

    /// <summary>Passes all gates, and visits in each what waits to be written, and may be taken out.</summary>
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

    /// <summary>Begins a walk through the file; <see langword="null"/> when there is none.</summary>
    internal IEnumerator<HashRecord>? BeginWalk() => _file.BeginWalk();

    /// <summary>Deletes the file. Who is still inside a gate finds nothing.</summary>
    public void Dispose()
    {
        _file.Dispose();
        foreach (KeyStripe stripe in _stripes)
        {
            lock (stripe.Lock)
                stripe.Clear();
        }
    }
}
