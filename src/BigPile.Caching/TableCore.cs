using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Events;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tags;
using BigPile.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching;

/// <summary>A table from key bytes to payloads; the typed tables are thin covers of it.</summary>
/// <remarks>
/// Order of a put, all under the lock of the key's bucket: next version; new block published; index slot swung to it; old block freed.
/// A kill between leaves two blocks with one key, of which the higher version is right. Freed outside the lock, the old block could
/// outlive a removal of the same key by another thread, and bring it back after a kill.
/// Lock order: a shard of the evictor, then a bucket, then the tags' marks or the pile's own locks.
/// </remarks>
internal sealed unsafe partial class TableCore : IEvictionHost, IDisposable
{
    private const int Open = 0;
    private const int Closed = 1;
    private const int Paused = 2;

    private readonly TableIndex _index;
    private readonly TableCounters _counters = new();
    private readonly CacheClock _clock;
    private readonly bool _copiesToRenew;
    private readonly bool _checksEveryRead;
    private readonly Lock _configuring = new();
    private TableOptions _options;
    private int _state;
    private bool _isRebuilding;
    private bool _hasForeignValues;
    private bool _countsReads;
    private bool _countsUses;
    private int _maxLines;

    /// <summary>Makes a table with an empty index, or with one that is to be restored.</summary>
    internal TableCore(Pile pile, int id, string name, KeyKind keyKind, KeyHash hash, CacheClock clock, TableOptions options)
    {
        Pile = pile;
        _checksEveryRead = pile.Space.ChecksEveryRead;
        _readsPlain = !_checksEveryRead;
        Id = id;
        Name = name;
        KeyKind = keyKind;
        Hash = hash;
        _clock = clock;
        _options = options;
        _copiesToRenew = pile.Store == StoreKind.Mapped;
        _index = new TableIndex(options.InitialEntries) { MayGrowBy = MayGrowBy };
        Tags = new TagMarks(this);
        Events = new EntryEvents(pile.Background);
        ApplyLocked(options);
    }

    internal Pile Pile { get; }

    internal int Id { get; }

    internal string Name { get; }

    internal KeyKind KeyKind { get; }

    internal KeyHash Hash { get; }

    /// <summary>Set once, before the table is used: compares keys in the place of their bytes.</summary>
    internal object? KeyComparer { get; set; }

    /// <summary>Whether the pile had the table before it was opened: an earlier version may have put entries.</summary>
    internal bool WasFound { get; init; }

    /// <summary>Whether values are in a form of the application's own, which a service neither shows nor puts.</summary>
    internal bool HasForeignValues
    {
        get => Volatile.Read(ref _hasForeignValues);
        set => Volatile.Write(ref _hasForeignValues, value);
    }

    /// <summary>Whether the application has said how the table is to behave.</summary>
    internal bool IsConfigured { get; set; }

    internal CacheClock Clock => _clock;

    internal TableOptions Options => Volatile.Read(ref _options);

    internal TagMarks Tags { get; }

    internal EntryEvents Events { get; }

    TableIndex IEvictionHost.Index => _index;

    internal TableIndex Index => _index;

    internal TableCounters Counters => _counters;

    internal long Count => Volatile.Read(ref _evictor) != null ? Interlocked.Read(ref _usage.Entries) : Math.Max(0, _counters.Entries);

    internal TableStatistics Statistics => new(
        Count, _counters[Counter.PayloadBytes], _index.SizeBytes, _counters[Counter.Hits], _counters[Counter.Misses],
        _counters[Counter.Inserts] + _counters[Counter.Replacements], _counters[Counter.Removals])
    {
        BlockBytes = _counters[Counter.RoomBytes],
        EvictionBytes = Volatile.Read(ref _evictor)?.SizeBytes ?? 0,
        Inserts = _counters[Counter.Inserts],
        Collisions = _counters[Counter.Collisions],
        Evictions = _counters[Counter.Evictions],
        Expirations = _counters[Counter.Expirations],
    };

    /// <summary>Whether blocks that the index does not know yet may still turn up.</summary>
    internal bool IsRebuilding
    {
        get => Volatile.Read(ref _isRebuilding);
        private set => Volatile.Write(ref _isRebuilding, value);
    }

    /// <summary>Refuses all later calls, and waits until nobody changes the options any more; other calls that run may end.</summary>
    internal void Close()
    {
        Volatile.Write(ref _state, Closed);
        lock (_configuring)
        {
            // nothing: who holds it walks through the index without being inside
        }
    }

    /// <summary>Frees the index. Nobody is inside any more.</summary>
    public void Dispose()
    {
        _index.Dispose();
        _evictor?.Dispose();
        _evictor = null;
    }

    /// <summary>What the statistics said when the table was closed; of one that was dropped, nothing is left.</summary>
    internal TableStatistics? FrozenStatistics { get; set; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ThreadPresence Enter()
    {
        ThreadPresence presence = Pile.Gate.Enter();
        return Volatile.Read(ref _state) == Open ? presence : EnterSlow(presence);
    }

    /// <summary>As <see cref="Enter"/>, for a call that may change something in the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ThreadPresence EnterToChange()
    {
        Pile.Space.MakeRoomToMove(); // what is freed under a bucket's lock can't flush
        ThreadPresence presence = Pile.Gate.EnterToChange();
        return Volatile.Read(ref _state) == Open ? presence : EnterSlow(presence);
    }

    /// <summary>
    /// As <see cref="Enter"/>, for a read. Where entries may expire it may have to clear one away, or to put off its end.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ThreadPresence EnterToRead() => _hasMortals ? EnterToChange() : Enter();

    private ThreadPresence EnterSlow(ThreadPresence presence)
    {
        var spinner = default(SpinWait);
        while (true)
        {
            Pile.Space.Exit(presence);
            if (Volatile.Read(ref _state) == Closed)
                RefuseClosed();
            if (presence.IsInside && presence.IsAwaited && Volatile.Read(ref _state) == Paused)
                RefuseWaiting(); // whoever changes the options waits for this very thread
            spinner.SpinOnce();
            presence = Pile.Gate.EnterToChange();
            if (Volatile.Read(ref _state) == Open)
                return presence;
        }
    }

    private void RefuseClosed() => throw (Volatile.Read(ref _isDropped)
        ? new TableDroppedException(Name)
        : new ObjectDisposedException(nameof(PileCache), $"The cache of the table '{Name}' was disposed."));

    private void RefuseWaiting() => throw new InvalidOperationException(
        $"The table '{Name}' is being configured, and can't be used meanwhile by code that a call runs, such as a codec or a comparer.");

    private ulong NextVersion(long now) => Pile.Versions.Next(_clock.VersionAt(now));

    /// <summary>
    /// Whether an entry is no more though its block is there: its time is over, or its tag or the whole table was removed.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsDead(in EntryHead head, ref long now)
    {
        if (head.Version <= Tags.ClearedUpTo)
            return true;
        return head.MayBeDead && IsDeadSlow(head, ref now);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsDeadSlow(in EntryHead head, ref long now)
    {
        if (head.HasTags && Tags.IsMarked(head))
            return true;
        if (!head.HasExpiry)
            return false;
        if (now == 0)
            now = _clock.Now;
        return head.ExpiresAt <= now && (!_clock.HasSteps || ExpiryOf(head) <= now);
    }

    private static bool HasKey(in EntryHead head, long payloadBytes, in KeyProbe key)
    {
        if (!head.FitsIn(payloadBytes))
            return false;
        var stored = new ReadOnlySpan<byte>(head.Key, head.KeyBytes);
        return key.Matcher == null ? stored.SequenceEqual(key.Bytes) : key.Matcher.Matches(stored);
    }

    /// <summary>The block of a slot whose bucket is locked.</summary>
    /// <returns><see langword="false"/> when there is none: its page turned out to be damaged after it was opened.</returns>
    private bool TryViewLocked(IndexSlot slot, out EntryHead head, out long payloadBytes)
    {
        EntryView view = Pile.Entries.View(slot.Address);
        payloadBytes = view.IsNone ? 0 : view.PayloadBytes;
        bool isWhole = payloadBytes >= EntryHead.ShortBytes;
        head = isWhole ? new EntryHead(view.Payload) : default;
        return isWhole && head.FitsIn(payloadBytes);
    }

    /// <summary>
    /// The block of a slot that was not found by a key. Where a damaged page was dropped, another entry may be in the slot's block by
    /// now; its tag tells.
    /// </summary>
    private bool TryViewSlotLocked(IndexSlot slot, out EntryHead head, out long payloadBytes) =>
        TryViewLocked(slot, out head, out payloadBytes)
        && (!_copiesToRenew || slot.MayBe(Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes))));

    /// <summary>Finds the slot of a key in its locked bucket.</summary>
    private bool TryFindLocked(Bucket* bucket, in KeyProbe key, out Bucket* line, out int slot, out EntryHead head, out long payloadBytes)
    {
        ulong tag = IndexSlot.TagOf(key.Hash);
        for (line = bucket; line != null; line = _index.Next(line))
        {
            for (uint match = Bucket.Match(line, tag); match != 0; match &= match - 1)
            {
                slot = System.Numerics.BitOperations.TrailingZeroCount(match);
                IndexSlot value = Bucket.Load(line, slot);
                if (!value.IsEmpty && TryViewLocked(value, out head, out payloadBytes) && HasKey(head, payloadBytes, key))
                    return true;
            }
        }
        slot = -1;
        head = default;
        payloadBytes = 0;
        return false;
    }

    /// <summary>Takes an entry out of the index and frees its block. Its bucket is locked.</summary>
    private void DropLocked(ThreadPresence presence, Bucket* line, int slot, in EntryHead head, long payloadBytes, Counter reason)
    {
        IndexSlot value = Bucket.Load(line, slot);
        TellFlightsLocked(value.Word & IndexSlot.TagMask, head.Version);
        Events.Note(head, payloadBytes, reason);
        PilePointer owned = OwnedPointer(head);
        bool isTombstone = head.Kind == ValueKind.Tombstone;
        EntryPriority priority = head.Priority;
        Bucket.Store(line, slot, default);
        KillPoint.Pass(KillWindow.RemoveBeforeFreed);
        Free(value.Address, owned);
        if (isTombstone)
            return;
        CountGone(presence, payloadBytes, entries: 1);
        if (_evictor != null)
            _usage.Note(priority, -Pile.Space.RoomBytesOf(payloadBytes));
        _counters.Add(presence, reason);
    }

    // The object goes first: a kill between leaves an entry that leads nowhere, which is dropped when it is found. An entry that went
    // first would leave an object that nothing leads to, for ever.
    private void Free(ulong address, PilePointer owned) => Free(Pile, address, owned);

    private static void Free(Pile pile, ulong address, PilePointer owned)
    {
        if (Fault.OwnedFreedLast)
            pile.Entries.Free(address);
        if (owned.IsValid)
        {
            if (!Fault.OwnedKept && !Fault.OwnedFreedLast)
                _ = pile.Entries.TryDeleteObject(owned);
            KillPoint.Pass(KillWindow.OwnedBeforeEntryFreed);
            if (Fault.OwnedFreedLast)
                _ = pile.Entries.TryDeleteObject(owned);
        }
        if (!Fault.OwnedFreedLast)
            pile.Entries.Free(address);
    }

    private static PilePointer OwnedPointer(in EntryHead head) =>
        head.Kind == ValueKind.Pointer ? PilePointer.FromUInt64(*(ulong*)(head.Key + head.KeyBytes)) : default;

    private void CountNew(ThreadPresence presence, long payloadBytes)
    {
        _counters.Add(presence, Counter.Entries);
        _counters.Add(presence, Counter.RoomBytes, Pile.Space.RoomBytesOf(payloadBytes));
        _counters.Add(presence, Counter.PayloadBytes, payloadBytes);
    }

    private void CountGone(ThreadPresence presence, long payloadBytes, int entries)
    {
        CountGone(presence, payloadBytes);
        if (_evictor != null)
            _usage.Release(entries, Pile.Space.RoomBytesOf(payloadBytes));
    }

    private void CountGone(ThreadPresence presence, long payloadBytes)
    {
        _counters.Add(presence, Counter.Entries, -1);
        _counters.Add(presence, Counter.RoomBytes, -Pile.Space.RoomBytesOf(payloadBytes));
        _counters.Add(presence, Counter.PayloadBytes, -payloadBytes);
    }
}
