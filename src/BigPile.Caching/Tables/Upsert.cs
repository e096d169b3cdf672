using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Capacity;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Feed;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

#pragma warning disable CS8500 // pointers to structs with references: on the stack, where the callers' frames keep what they refer to

namespace BigPile.Caching.Tables;

/// <summary>One put into memory: a value, a tombstone, or a spilled entry that comes back.</summary>
/// <remarks>
/// <see cref="Attempt"/> has the steps in the order of their stores. Of two puts of one key the later swap has the higher version, as it
/// is drawn under the bucket's lock. A kill between the entry's header and the free of the old block leaves two blocks of the key: the
/// intent, or the higher version, decides. A put that is refused or fails changes nothing of its key; others may have been evicted for it,
/// and in a full pile the key's own entry, like any.
/// Owned by the calling thread.
/// </remarks>
internal unsafe ref partial struct Upsert
{
    private const long EntriesBetweenGrowths = 31; // a mask: every 32nd insert of a thread

    private TableEngine _table;
    // In the frames of callers, so they stay where they are. A ref field can't refer to a ref struct, and copies made a put 7 % slower.
    private KeyProbe* _key;
    private EntrySpec* _spec;
    private PutRequest* _request;
    private long _payloadBytes; // head, key and value of the new entry
    private CriticalRegion _critical; // of the calling thread
    private long _now; // in ticks; read once, before any lock
    private EntryQueue _queue; // of the evictor; kept over attempts, so that an entry is admitted once
    private bool _hasEvicted; // other entries went for it

    // Of one attempt.
    private bool _isLimited; // whether it counts for the limits
    private Reservation _reserved; // of the limits; returned unless the entry is published
    private Slot _block; // of the new entry; abandoned unless it is published
    private ulong _version; // of the new entry; 0: not drawn yet
    private FeedLane* _lane; // entered before the version is drawn, if the table has a feed; null: not
    private Intent* _intent; // open; null for an index in process memory
    private SlotPlace _place; // the slot of the index that will lead to the new entry
    private bool _isPublished; // the block is live
    private bool _entersQueue; // the entry is not in the evictor's queue of its priority yet
    private bool _isStale; // the reservation is outdated: the put starts over
    private PutResult _result; // or Condition.NotMet
    private PileException? _failure; // nothing was done: there is no space for a block, or for a line of the index

    /// <summary>Prepares a put. Its arguments must be variables of a caller that is still there when it runs, not temporaries.</summary>
    /// <remarks>Not a constructor: the compiler makes a temporary of that, and its copy made a put 5 % slower.</remarks>
    internal void Prepare(TableEngine table, scoped in KeyProbe key, scoped in EntrySpec spec, scoped in PutRequest request)
    {
        _table = table;
        _key = (KeyProbe*)Unsafe.AsPointer(ref Unsafe.AsRef(in key));
        _spec = (EntrySpec*)Unsafe.AsPointer(ref Unsafe.AsRef(in spec));
        _request = (PutRequest*)Unsafe.AsPointer(ref Unsafe.AsRef(in request));
        _payloadBytes = (long)EntryHead.BytesFor(spec) + key.Bytes.Length + request.Value.Length;
    }

    /// <summary>Why nothing was done; null: <see cref="Result"/> says what was.</summary>
    internal readonly PileException? Failure => _failure;

    /// <summary>What happened, or <see cref="Condition.NotMet"/>.</summary>
    internal readonly PutResult Result => _failure == null ? _result : Condition.NotMet;

    /// <summary>Version, size and expiry of the new entry.</summary>
    internal readonly EntryInfo Info =>
        _version == 0 ? default : _table.Clock.Describe(_version, _request->Value.Length, _spec->ExpiresAt);

    private readonly byte* Payload => _block.Start + BlockHeader.SizeBytes;

    private readonly BlockCount CountOfNew => _request->IsTombstone ? default : _table.Entries.CountOf(_payloadBytes);

    private readonly bool IsForMain => _queue == EntryQueue.Main; // its line's bit says main queue

    /// <summary>Puts, and again where space or a comparison was lacking.</summary>
    internal void Run()
    {
        var retry = new Retry(_table);
        // Outside of the region: it flushes, has other tables give way, or runs the application's comparer. A tombstone without space waits
        // for the end of the rebuild.
        while (!TryRun() && retry.TryPrepare(*_key, _failure, isPut: !_request->IsPromotion && !_request->IsTombstone))
            continue;
    }

    // Returns false if space or a comparison was lacking. A method of its own: with a loop around its try block the tiered compiler made
    // puts 5 % slower.
    private bool TryRun()
    {
        using ChangeScope scope = _table.EnterWriter();
        try
        {
            RunInRegion(scope.Critical);
            return _failure == null;
        }
        catch (KeyNotComparedException)
        {
            _failure = null; // no lock is held any more
            return false;
        }
    }

    /// <summary>Puts once. The caller is in a critical region.</summary>
    internal void RunInRegion(CriticalRegion critical)
    {
        Debug.Assert(critical == PileRegions.Current && critical.IsOpen, "Options do not change meanwhile.");
        _critical = critical;
        _table.Index.Prefetch(_key->Hash); // the bucket arrives while the entry is written
        _now = _table.Clock.Now; // before any lock: the clock may be application code
        do
        {
            (_version, _result, _failure, _isStale, _entersQueue) = (0, Condition.NotMet, null, false, false);
            _isLimited = _table.Limits.AreOn && !_request->IsTombstone;
            try
            {
                Attempt();
            }
            finally
            {
                if (_lane != null)
                    LeaveFeed();
                if (!_isPublished)
                    Release(); // refused, stale, a failure or an exception
            }
        }
        while (_isStale); // the bucket has changed since the reservation
        Debug.Assert(_isPublished == (Result is not (Condition.NotMet or PutResult.Collision)), "A stored put is in the index.");
        if (_isPublished)
            Finish();
    }

    // The put. A step that fails ends it: the key is unchanged up to step 7. Steps 1 and 5 may have evicted others.
    // The steps are inlined here, and this nowhere: the compiler's budget is by method, and ended before the small ones.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Attempt()
    {
        if (_isLimited && !TryReserve()) // 1. Entries and bytes of the limits. At a limit other entries are evicted.
            return;
        if (!TryTakeBlock()) // 2. A slot of the pile. A kill from here on leaves it free.
            return;
        Write(); // 3. Head, key and value. Invisible: the block's header still says free.
        // 4. From here on no other thread puts, removes, evicts or renews an entry of this bucket. Reads go on.
        using LockedBucket bucket = _table.Index.Lock(_key->Hash);
        if (!TryFindPlace(bucket, out Replaced old)) // 5. The slot of the key's entry, an empty one, or that of a victim.
            return;
        BlockCount added = CountOfNew - old.Count;
        // 6. The intent names both blocks. After a kill, recovery keeps the one that the slot leads to, and frees the other.
        _intent = _table.Intents.Begin(_critical, _block.Address, old.Address, old.Version, _request->Externalized != null, added);
        Publish(); // 7. Version, then the block's header: both blocks are live; the slot decides.
        Swap(); // 8. The slot: from here on reads find the new entry.
        if (old.Address != 0)
            Free(old); // 9. Under the lock: freed later, the old block could outlive a removal, and come back after a kill.
        Count(old, added); // 10. Counters, while the intent is open; then its end.
    } // 11. In Finish, without the lock: the evictor's queues, and growth of the index.

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Write()
    {
        _table.Prefetch.Entry(_key->Hash); // of the entry to replace; the bucket has arrived by now
        _table.Entries.Write(_block, *_key, _request->Value, _request->Kind, *_spec);
        if (_request->IsPromotion)
            EntryHead.SetVersion(Payload, _request->KeptVersion); // TryFindPlace judges the entry by it
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Publish()
    {
        // An exception here leaves an intent, which Release ends.
        if (_request->IsPromotion)
            _version = _request->KeptVersion;
        else if (_version == 0)
            DrawVersion();
        if (!_request->IsPromotion)
            EntryHead.SetVersion(Payload, _version); // still invisible
        if (Mutation.SlotFirst)
            _place.Store(new IndexSlot(_key->Hash, _block.Address));
        CrashPoints.Pass(CrashPoint.PutBeforeHeader);
        if (Mutation.ObjectBeforeEntry)
            _request->Externalized?.Publish(_table.Heap);
        // A release (in BlockStore.Publish); pairs with the load of the header in TableHeap.View.
        _table.Heap.Publish(_block, _payloadBytes);
        _isPublished = true; // from here on the block is not abandoned
        // After the entry: a kill in between leaves a dead pointer, never an unreferenced object.
        if (!Mutation.ObjectBeforeEntry)
            _request->Externalized?.Publish(_table.Heap);
        if (_lane != null) // after what may fail, and before the slot: recovery voids the record of a put that was not made
            TellPut();
        CrashPoints.Pass(CrashPoint.EntryBeforeSwap);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Swap()
    {
        // Flags before the slot: a sweep that reads the line without its lock, or a kill, never finds the entry unmarked.
        if (!_spec->IsPlain && (_spec->ExpiresAt != long.MaxValue || !_spec->Tags.IsEmpty))
        {
            _place.Line->MarkExpiry();
            _table.Content.MarkExpirable();
            _table.Flights.OutdateLocked(IndexSlot.TagOf(_key->Hash), _version); // a read that finds it dead outdates no run
        }
        if (_spec->Priority != EntryPriority.Normal)
            _table.Content.MarkPriorities();
        Debug.Assert(_block.Address != 0, "No block is at address 0, which stands for an empty slot.");
        // One store with release, which pairs with the loads of Lookup. A read that has copied the old entry by now finds another word in
        // its slot, and starts over.
        _place.Store(new IndexSlot(_key->Hash, _block.Address));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Free(in Replaced old)
    {
        Debug.Assert(old.Address != _block.Address, "The new entry has a block of its own.");
        Debug.Assert(Mutation.VersionFromLive || _version > old.Version, "Of two blocks with one key the higher version wins.");
        if (_request->Externalized != null && _spec->SlidingTicks != 0) // an externalized value keeps its lifetime
            _table.Liveness.Uses.TransferLocked(old.Version, _version, _key->Hash);
        if (Mutation.FreedOutsideLock)
            _table.Index.Locks.Exit(_table.Index.Locate(_key->Hash));
        CrashPoints.Pass(CrashPoint.EntryBeforeOldFreed);
        _table.Entries.Free(old.Address, old.Owned);
        if (Mutation.FreedOutsideLock)
            _ = _table.Index.Lock(_key->Hash);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Count(in Replaced old, in BlockCount added)
    {
        TableCounters counters = _table.Counters;
        bool isNew = old.Address == 0 || old.IsNone;
        if (_table.CountsUses && !isNew)
            _place.CountUse();
        counters.Count(_critical, added);
        if (!_request->IsTombstone && !_request->IsPromotion)
            counters.Add(_critical, isNew ? Counter.Inserts : Counter.Replacements);
        _table.Intents.End(_intent);
        _intent = null;
        if (_table.Limits.AreOn)
            _table.Limits.Exchange(_reserved, old.Own, new OwnEntry(!_request->IsTombstone, CountOfNew.FootprintBytes, _spec->Priority, 0));
        if (old.OwnedBytes != 0 || _request->Kind == ValueKind.Pointer)
            CountOwned(old);
        if (old.State.HasEnded())
            counters.Add(_critical, old.State.Reason());
        if (_request->IsTombstone && !isNew)
            counters.Add(_critical, Counter.Removals);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CountOwned(in Replaced old)
    {
        _table.Limits.AddOwned(_spec->Priority, _version, _table.Entries.OwnedBytesOf(new EntryHead(Payload), _payloadBytes));
        _table.Limits.AddOwned(old.Own.Priority, old.Version, -old.OwnedBytes);
    }

    private void Finish()
    {
        Debug.Assert(_isPublished, "A put that is refused or fails is counted by who refuses it, and nowhere else.");
        if (_entersQueue) // after the bucket's lock: those of the evictor's shards come first
        {
            if (!_request->IsTombstone)
                _table.Limits.Enter(_key->Hash, _spec->Priority, _payloadBytes, _queue);
            if (!_table.Options.FixedIndex && _table.Counters.IsTurn(_critical, EntriesBetweenGrowths))
                _table.Index.GrowFor(_table.Counters.Entries);
        }
        if (_result == PutResult.Inserted && _hasEvicted)
            _result = PutResult.Overwritten; // another entry went for it
        if (_result == PutResult.Overwritten)
            _table.Counters.Add(_critical, Counter.Overwrites);
    }

    // Returns what an attempt holds that has published nothing.
    private void Release()
    {
        _table.Intents.End(_intent); // before the block is reused: recovery would take another put's block there for this one
        if (!_block.IsNone)
            _table.Heap.Abandon(_block, _payloadBytes);
        if (_isLimited)
            _table.Limits.Release(_reserved);
        _intent = null;
        (_block, _reserved) = (default, default);
    }
}
