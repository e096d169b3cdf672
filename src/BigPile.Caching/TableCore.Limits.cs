using System;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>Limits in entries and bytes.</summary>
/// <remarks>
/// Room is reserved before an entry is written, and evicted until the reservation fits; so the table's own figure is never above a limit.
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
    private readonly record struct Reservation(bool HasEntry, long RoomBytes, bool HasEvicted);

    private bool IsLimited => _options.MaximumEntries != null || _options.MaximumBytes != null;

    /// <summary>Changes the options of a live table. Calls wait meanwhile; a limit on a large table takes a walk through its index.</summary>
    internal void Configure(TableOptions options)
    {
        options.Validate();
        ThreadPresence.RefuseInside();
        lock (_configuring)
        {
            if (options.FixedIndex != _options.FixedIndex)
                throw new ArgumentException($"TableOptions.FixedIndex of the table '{Name}' can't be changed while the table lives.", nameof(options));
            WhilePausedLocked(() => ApplyLocked(options));
            EvictSurplus();
        }
    }

    /// <summary>Begins to enforce limits, once the index knows every entry.</summary>
    internal void BeginLimits()
    {
        lock (_configuring)
        {
            WhilePausedLocked(() =>
            {
                IsRebuilding = false;
                ApplyLocked(_options);
            });
            EvictSurplus();
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
        bool mayDiffer = _hasPriorities;
        for (ulong number = 0; number < _index.BucketCount; number++)
        {
            for (Bucket* line = _index.At(number); line != null; line = _index.Next(line))
            {
                for (int slot = 0; slot < Bucket.SlotCount; slot++)
                {
                    IndexSlot value = Bucket.Load(line, slot);
                    if (!value.IsEmpty)
                        evictor.EnterFound(value.KnownHash(number), mayDiffer ? PriorityOf(value) : EntryPriority.Normal, line->IsInMain(slot));
                }
            }
        }
    }

    private EntryPriority PriorityOf(IndexSlot slot) =>
        TryViewSlotLocked(slot, out EntryHead head, out _) ? head.Priority : EntryPriority.Low;

    /// <summary>Reserves room for an entry, and evicts others until there is some.</summary>
    private bool TryReserve(
        in KeyProbe key, long payloadBytes, EntryPriority priority, ref long now, out Reservation reservation)
    {
        _evictor!.Prefetch(key.Hash, priority);
        bool hasEvicted = false;
        bool hasEntry = true;
        while (!_usage.TryTakeEntry())
        {
            if (HasEntryFor(key, ref now))
            {
                hasEntry = false; // it will be replaced
                break;
            }
            if (!TryEvict(key.Hash, priority, ref hasEvicted))
            {
                reservation = default;
                return false;
            }
        }
        long roomBytes = Pile.RoomBytesOf(payloadBytes);
        while (!_usage.TryTakeBytes(roomBytes, BlockLimitBytes()))
        {
            if (TryEvict(key.Hash, priority, ref hasEvicted))
                continue;
            _usage.Release(hasEntry ? 1 : 0, 0);
            reservation = default;
            return false;
        }
        reservation = new Reservation(hasEntry, roomBytes, hasEvicted);
        return true;
    }

    private bool TryEvict(ulong hash, EntryPriority priority, ref bool hasEvicted)
    {
        if (!_evictor!.TryEvict(hash, priority))
            return false;
        hasEvicted = true;
        return true;
    }

    private bool HasEntryFor(in KeyProbe key, ref long now)
    {
        var nothing = default(NothingReader);
        Outcome outcome;
        while ((outcome = Search<NothingReader, AllChecks>(key, ref nothing, 0, ref now, out _, out _)) == Outcome.Again)
        {
        }
        return outcome is Outcome.Hit or Outcome.Dead;
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
    private void EvictSurplus()
    {
        if (_evictor == null)
            return;
        while (Interlocked.Read(ref _usage.Entries) > _usage.MaxEntries || Interlocked.Read(ref _usage.RoomBytes) > BlockLimitBytes())
        {
            ThreadPresence presence = EnterToChange();
            try
            {
                if (!_evictor.TryEvict(0, EntryPriority.High))
                    return;
            }
            finally
            {
                Pile.ExitAfterFree(presence);
            }
        }
    }

    EntryPriority IEvictionHost.PriorityLocked(IndexSlot slot) => PriorityOf(slot);

    void IEvictionHost.Prefetch(IndexSlot slot) => Pile.PrefetchEntry(slot.Address);

    void IEvictionHost.EvictLocked(Bucket* line, int slot)
    {
        ThreadPresence presence = ThreadPresence.Mine;
        long now = 0;
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

    private struct NothingReader : Pile.IPayloadReader
    {
        public readonly void Read(byte* payload, long lengthBytes, Blocks.BlockKind kind)
        {
        }
    }
}
