using System;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Caching;

/// <summary>Limits in entries and bytes.</summary>
/// <remarks>
/// Room is reserved before an entry is written, and evicted until the reservation fits; so the table's own figure is never above a limit.
/// What will be refused evicts nothing: the condition of a change is looked at before, and whether what may go is enough. A replacement
/// reserves the difference only; under the lock it is seen whether that was right, and if not, all begins anew.
/// A limit in bytes leaves out a little for lines and pages of the index and of the queues that appear between two looks.
/// </remarks>
internal sealed unsafe partial class TableCore
{
    private const long LargeLimitBytes = 64 << 20;
    private const long LargeAllowanceBytes = 4 << 20;
    private const long SmallAllowanceBytes = 128 << 10;
    private const long TypicalEntryBytes = 256;

    private readonly TableUsage _usage = new();
    private Evictor? _evictor;

    /// <summary>Room that a put has been promised.</summary>
    private readonly record struct Reservation(bool HasEntry, long RoomBytes, bool HasEvicted)
    {
        /// <summary>Whether it is enough for an entry, when it has the place of an old one or none.</summary>
        internal bool IsEnough(long roomBytes, bool hasOld, long oldRoomBytes) =>
            (HasEntry || hasOld) && RoomBytes + oldRoomBytes >= roomBytes;
    }

    /// <summary>An entry that the key of a put has already.</summary>
    private readonly record struct OwnEntry(bool IsThere, long RoomBytes, EntryPriority Priority, ulong Address)
    {
        /// <summary>Whether there is none, and its bucket has no place for one, nor may make one.</summary>
        internal bool LacksPlace { get; init; }
    }

    private enum Promise
    {
        Given,
        Refused,
        ConditionNotMet,
    }

    private bool IsLimited => _options.MaximumEntries != null || _options.MaximumBytes != null;

    /// <summary>
    /// Changes the options of a live table. Calls wait meanwhile; a limit on a large table takes a walk through its index.
    /// </summary>
    internal void Configure(TableOptions options)
    {
        options.Validate();
        ThreadPresence.RefuseInside();
        long now = _clock.BeforeLock;
        lock (_configuring)
        {
            if (options.FixedIndex != _options.FixedIndex)
                throw new ArgumentException(
                    $"TableOptions.FixedIndex of the table '{Name}' can't be changed while the table lives.", nameof(options));
            WhilePausedLocked(() => ApplyLocked(options));
            EvictSurplus(now);
        }
    }

    /// <summary>Begins to enforce limits, once the index knows every entry.</summary>
    internal void BeginLimits()
    {
        long now = _clock.BeforeLock;
        lock (_configuring)
        {
            WhilePausedLocked(() =>
            {
                IsRebuilding = false;
                ApplyLocked(_options);
            });
            EvictSurplus(now);
        }
    }

    // A table that was closed meanwhile stays closed; its index is there as long as the lock is held.
    private void WhilePausedLocked(Action change)
    {
        if (Interlocked.CompareExchange(ref _state, Paused, Open) == Closed)
            RefuseClosed();
        try
        {
            ThreadPresence.WaitForOthers();
            change();
        }
        finally
        {
            _ = Interlocked.CompareExchange(ref _state, Open, Paused);
        }
    }

    // Nobody is inside.
    private void ApplyLocked(TableOptions options)
    {
        Volatile.Write(ref _options, options);
        _countsReads = options.Statistics;
        _maxLines = options.CollisionMode == CollisionMode.Durable ? int.MaxValue : options.FixedIndex ? 1 : MaxSpeculativeLines;
        if (IsLimited && !IsRebuilding)
            SetLimits(options);
        else
            DropLimits();
        _countsUses = _evictor != null || options.FixedIndex;
    }

    private void SetLimits(TableOptions options)
    {
        _usage.MaxEntries = options.MaximumEntries ?? long.MaxValue;
        _usage.Entries = _counters[Counter.Entries];
        _usage.RoomBytes = _counters[Counter.RoomBytes];
        long expected = Math.Min(_usage.MaxEntries, (options.MaximumBytes ?? long.MaxValue) / TypicalEntryBytes);
        if (_evictor != null)
        {
            _evictor.SetCapacity(expected);
            return;
        }
        _evictor = new Evictor(this, expected);
        _usage.ClearNotes();
        if (_usage.Entries != 0)
            EnterAll(_evictor);
    }

    private void DropLimits()
    {
        _evictor?.Dispose();
        _evictor = null;
    }

    private void EnterAll(Evictor evictor)
    {
        for (ulong number = 0; number < _index.BucketCount; number++)
        {
            for (Bucket* line = _index.At(number); line != null; line = _index.Next(line))
            {
                for (int slot = 0; slot < Bucket.SlotCount; slot++)
                {
                    IndexSlot value = Bucket.Load(line, slot);
                    if (!value.IsEmpty)
                        evictor.EnterFound(value.KnownHash(number), NoteFound(value), line->IsInMain(slot));
                }
            }
        }
    }

    private EntryPriority NoteFound(IndexSlot slot)
    {
        if (!_hasPriorities)
            return EntryPriority.Normal;
        if (!TryViewSlotLocked(slot, out EntryHead head, out long payloadBytes))
            return EntryPriority.Low;
        if (head.Kind != ValueKind.Tombstone)
            _usage.Note(head.Priority, Pile.Space.RoomBytesOf(payloadBytes));
        return head.Priority;
    }

    /// <summary>
    /// Reserves room for an entry, and evicts others until there is some; but none where that can't help, or for nothing.
    /// </summary>
    private Promise TryReserve(
        in KeyProbe key, long payloadBytes, EntryPriority priority, Condition condition, ref long now, out Reservation reservation)
    {
        _evictor!.Prefetch(key.Hash, priority);
        long roomBytes = Pile.Space.RoomBytesOf(payloadBytes);
        long limitBytes = BlockLimitBytes();
        reservation = new Reservation(HasEntry: true, roomBytes, HasEvicted: false);
        return _usage.TryTake(takesEntry: true, roomBytes, limitBytes)
            ? Promise.Given
            : TryReserveAtLimit(key, roomBytes, limitBytes, priority, condition, ref now, out reservation);
    }

    // The key's own entry gives its room to the new one. It must not go before, as the put may come to nothing yet.
    private Promise TryReserveAtLimit(
        in KeyProbe key, long roomBytes, long limitBytes, EntryPriority priority, Condition condition, ref long now,
        out Reservation reservation)
    {
        reservation = default;
        if (!TryLookAtOwn(key, condition, priority, ref now, out OwnEntry own))
            return Promise.ConditionNotMet;
        if (own.LacksPlace)
            return Promise.Refused;
        long moreBytes = Math.Max(0, roomBytes - own.RoomBytes);
        bool hasRoom = _usage.TryTake(takesEntry: !own.IsThere, moreBytes, limitBytes);
        bool hasEvicted = !hasRoom;
        if (!hasRoom && !CanMakeRoom(moreBytes, limitBytes, priority, own))
            return Promise.Refused;
        while (!hasRoom)
        {
            if (!_evictor!.TryEvict(key.Hash, priority, now, own.Address))
                return Promise.Refused;
            hasRoom = _usage.TryTake(takesEntry: !own.IsThere, moreBytes, BlockLimitBytes());
        }
        reservation = new Reservation(HasEntry: !own.IsThere, moreBytes, hasEvicted);
        return Promise.Given;
    }

    private bool CanMakeRoom(long moreBytes, long limitBytes, EntryPriority priority, in OwnEntry own)
    {
        if (moreBytes == 0)
            return true;
        bool isOwnEvictable = own.IsThere && own.Priority <= priority && own.Priority != EntryPriority.NeverEvict;
        long evictableBytes = _usage.EvictableBytes(priority) - (isOwnEvictable ? own.RoomBytes : 0);
        return Interlocked.Read(ref _usage.RoomBytes) - evictableBytes + moreBytes <= limitBytes;
    }

    /// <summary>Looks whether a key has an entry.</summary>
    /// <returns>Whether the condition is met.</returns>
    private bool TryLookAtOwn(in KeyProbe key, Condition condition, EntryPriority priority, ref long now, out OwnEntry own)
    {
        own = default;
        Bucket* bucket = _index.Lock(key.Hash, out _);
        try
        {
            if (!TryFindLocked(bucket, key, out Bucket* line, out int slot, out EntryHead head, out long payloadBytes))
            {
                own = own with { LacksPlace = !HasPlaceLocked(bucket, priority, ref now) };
                return IsMetLocked(condition, key.Hash, version: 0, isNone: true);
            }
            if (head.Kind != ValueKind.Tombstone)
                own = new OwnEntry(IsThere: true, Pile.Space.RoomBytesOf(payloadBytes), head.Priority, Bucket.Load(line, slot).Address);
            return IsMetLocked(condition, key.Hash, head.Version, IsNoneLocked(head, ref now));
        }
        finally
        {
            bucket->Unlock();
        }
    }

    /// <summary>The bytes that blocks may take beside index and queues.</summary>
    private long BlockLimitBytes()
    {
        if (_options.MaximumBytes is not { } limit)
            return long.MaxValue;
        long allowance = limit >= LargeLimitBytes ? LargeAllowanceBytes : SmallAllowanceBytes;
        return limit - allowance - _index.SizeBytes - _evictor!.SizeBytes;
    }

    // The index asks before it takes another chunk of memory.
    private bool MayGrowBy(long bytes) =>
        _options.MaximumBytes is null || _evictor == null || Interlocked.Read(ref _usage.RoomBytes) + bytes <= BlockLimitBytes();

    /// <summary>Evicts what is over the limits after they were lowered.</summary>
    private void EvictSurplus(long now)
    {
        if (_evictor == null)
            return;
        while (Interlocked.Read(ref _usage.Entries) > _usage.MaxEntries || Interlocked.Read(ref _usage.RoomBytes) > BlockLimitBytes())
        {
            ThreadPresence presence = EnterToChange();
            try
            {
                if (!_evictor.TryEvict(0, EntryPriority.High, now))
                    return;
            }
            finally
            {
                Pile.Space.ExitAfterFree(presence);
            }
        }
    }

    bool IEvictionHost.MayHavePriorityLocked(IndexSlot slot, EntryPriority priority) =>
        !_hasPriorities || !TryViewSlotLocked(slot, out EntryHead head, out _) || head.Priority == priority;

    void IEvictionHost.Prefetch(IndexSlot slot) => Pile.Entries.Prefetch(slot.Address);

    void IEvictionHost.EvictLocked(Bucket* line, int slot, long now)
    {
        ThreadPresence presence = ThreadPresence.Mine;
        if (TryViewSlotLocked(Bucket.Load(line, slot), out EntryHead head, out long payloadBytes))
            DropLocked(presence, line, slot, head, payloadBytes, IsDead(head, ref now) ? ReasonOf(head) : Counter.Evictions);
        else
            DropUnreadableLocked(presence, line, slot);
    }

    // The page turned out to be damaged after it was opened: nothing is left to free.
    private void DropUnreadableLocked(ThreadPresence presence, Bucket* line, int slot)
    {
        Bucket.Store(line, slot, default);
        CountGone(presence, 0, entries: 1);
    }

    private struct NothingReader : IPayloadReader
    {
        public readonly void Read(byte* payload, long lengthBytes, BlockKind kind)
        {
        }
    }
}
