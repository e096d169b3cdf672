using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Clocks;
using BigPile.Caching.Events;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tags;

namespace BigPile.Caching.Tables;

/// <summary>A table from key bytes to payloads: index, clock, counters, options, state, entering and leaving.</summary>
/// <remarks>
/// The operations are in <c>Operations</c>; the typed tables are thin facades over them.
/// Put, under the lock of the key's bucket: draw the version, publish the new block, swap the index slot, free the old block. A kill in
/// between leaves two blocks of one key; the higher version wins.
/// Lock order: key stripe, evictor shard, bucket, then the tags' marks or the pile's own locks.
/// </remarks>
internal sealed unsafe partial class TableCore : IDisposable
{
    private const long LargeLimitBytes = 64 << 20; // from this limit on the large allowance
    private const long LargeAllowanceBytes = 4 << 20; // index lines and queue pages between two checks
    private const long SmallAllowanceBytes = 128 << 10; // the same, below LargeLimitBytes

    // Most are written with release and read with acquire, as reads take no lock. The properties say what they hold.
    private TableOptions _options; // replaced while the table is paused
    private Evictor? _evictor; // replaced while the table is paused; null once closed
    private Backfill? _backfill; // set while paused; cleared by the thread that completes it
    private ReadBuffer? _readBuffer; // created by the first record
    private RemovedKeys? _removedKeys; // set and cleared by the comparison of index and pile
    private FlightRuns? _runs; // created by the first factory
    private ulong _visibilityFloor; // versions below it are invisible; 0: none
    private bool _isRebuilding; // set before the table is in use; cleared while paused
    private bool _hasOpaqueValues; // set once objects, an adapter or a mapped route use the table; stays
    private bool _hasPriorities; // set at opening, or under a bucket's lock before the slot
    private bool _hasTombstones; // set before the first one is put, or when a walk finds one; stays
    private bool _readsPlain; // set after the floor drops to 0; see Visibility

    /// <summary>Makes a table with an empty index, or over an index to restore. The options apply once it has begun.</summary>
    /// <param name="pile">The pile that holds the entries.</param>
    /// <param name="id">The table's id, which every entry carries.</param>
    /// <param name="name">The table's name.</param>
    /// <param name="keyKind">The kind of the keys.</param>
    /// <param name="hash">The key hash.</param>
    /// <param name="clock">The cache's clock.</param>
    /// <param name="options">The options.</param>
    /// <param name="place">Where the index lives; by default in process memory.</param>
    internal TableCore(
        Pile pile, int id, string name, KeyKind keyKind, KeyHash hash, CacheClock clock, TableOptions options, IndexStorage? place = null)
    {
        Pile = pile;
        Id = id;
        Name = name;
        KeyKind = keyKind;
        Hash = hash;
        Clock = clock;
        _options = options;
        ChecksEveryRead = pile.Blocks.ChecksEveryRead;
        _readsPlain = !ChecksEveryRead;
        CopiesToRenew = pile.Store == StoreKind.Mapped;
        place ??= new MemoryIndexStorage();
        Counters = place.OutlivesProcess ? new TableCounters(place.Cells, place.Head->OwnCells, place.Head->Base) : new TableCounters();
        Index = new TableIndex(place, options.InitialEntries)
        {
            MayGrowBy = MayGrowBy,
            Damaged = place.OutlivesProcess ? ReportDamagedLine : static () => { },
        };
        Intents = place.Intents;
        Tags = new TagMarks(pile, id, Index);
        _hasExpirables = HasFlag(IndexHead.ExpirablesFlag);
        _hasPriorities = HasFlag(IndexHead.PrioritiesFlag);
        Events = new EntryEvents(pile.Engine.Background, clock);
        Meter = CacheMeter.Of(pile.Engine.Meter);
    }

    internal Pile Pile { get; }

    internal CacheMeter Meter { get; }

    internal int Id { get; }

    internal string Name { get; }

    internal KeyKind KeyKind { get; }

    internal KeyHash Hash { get; }

    internal CacheClock Clock { get; }

    internal TableIndex Index { get; }

    internal TableCounters Counters { get; }

    /// <summary>The intent log of a persistent index; null for an index in process memory.</summary>
    internal IntentLog? Intents { get; }

    internal TagMarks Tags { get; }

    internal EntryEvents Events { get; }

    /// <summary>The running factories, which are told of changes to their keys.</summary>
    internal FlightTickets Flights { get; } = new();

    /// <summary>How long a caller waits for another caller's factory.</summary>
    internal FlightTimeout FlightTimeout { get; init; } = FlightTimeout.Infinite;

    /// <summary>The running factories by key, for callers that join them.</summary>
    internal FlightRuns FlightRunsBy(IEqualityComparer<FlightKey> comparer) =>
        _runs ?? LazyInitializer.EnsureInitialized(ref _runs, () => new FlightRuns(comparer)); // most tables have none

    /// <summary>The entries demoted to a file; null when the cache has no spill directory.</summary>
    internal SpillStore? Spill { get; init; }

    /// <summary>The progress of the sweeps.</summary>
    internal SweepPlace SweepPlace { get; } = new();

    /// <summary>The application's key comparer; null: keys are compared by their bytes. Set once, before first use.</summary>
    internal object? KeyComparer { get; set; }

    /// <summary>Whether the pile had the table when it was opened: an earlier version may have written entries.</summary>
    internal bool WasFound { get; init; }

    /// <summary>Whether the application has configured the table.</summary>
    internal bool IsConfigured { get; set; }

    /// <summary>The progress of rebuilding the index.</summary>
    internal CacheReadiness Readiness { get; set; } = new();

    /// <summary>Whether keys may be put and removed; not during recovery.</summary>
    internal bool IsInUse { get; set; } = true;

    /// <summary>
    /// Whether values may be in a form of the application's own, as encoded objects or an adapter's bytes are: a service neither returns
    /// nor accepts them.
    /// </summary>
    internal bool HasOpaqueValues
    {
        get => Volatile.Read(ref _hasOpaqueValues);
        set => Volatile.Write(ref _hasOpaqueValues, value);
    }

    internal TableOptions Options
    {
        get => Volatile.Read(ref _options);
        set => Volatile.Write(ref _options, value);
    }

    /// <summary>Held while the options are changed.</summary>
    internal Lock ConfigurationLock { get; } = new();

    /// <summary>Whether hits and misses are counted. This and the next two change only while no thread is in the table.</summary>
    internal bool CountsReads { get; set; }

    /// <summary>Whether uses of entries are counted, for eviction or a bounded bucket.</summary>
    internal bool CountsUses { get; set; }

    /// <summary>The maximum number of lines of a bucket.</summary>
    internal int MaxLines { get; set; }

    /// <summary>Chooses what to evict; null without a limit, and while the index is rebuilt.</summary>
    internal Evictor? Evictor
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _evictor);
        set => Volatile.Write(ref _evictor, value);
    }

    /// <summary>The backfill of the evictor's queues with entries from before it; null once complete.</summary>
    internal Backfill? Backfill
    {
        get => Volatile.Read(ref _backfill);
        set => Volatile.Write(ref _backfill, value);
    }

    /// <summary>The read buffer; null before the first record.</summary>
    internal ReadBuffer? ReadBufferOrNull => Volatile.Read(ref _readBuffer);

    internal ReadBuffer ReadBuffer =>
        Volatile.Read(ref _readBuffer) ?? Interlocked.CompareExchange(ref _readBuffer, new ReadBuffer(), null) ?? _readBuffer;

    /// <summary>What a limited table holds and has reserved.</summary>
    internal TableUsage Usage { get; } = new();

    /// <summary>Whether every read verifies checksums.</summary>
    internal bool ChecksEveryRead { get; }

    /// <summary>
    /// Whether a renewal writes a copy: a mapped block is never changed in place, so that a kill or a power cut finds it whole.
    /// </summary>
    internal bool CopiesToRenew { get; }

    /// <summary>Whether entries may have a priority other than Normal.</summary>
    internal bool HasPriorities
    {
        get => Volatile.Read(ref _hasPriorities);
        set => Set(ref _hasPriorities, IndexHead.PrioritiesFlag, value);
    }

    /// <summary>Whether tombstones may exist; see <see cref="Entries.ValueKind.Tombstone"/>.</summary>
    internal bool HasTombstones
    {
        get => Volatile.Read(ref _hasTombstones);
        set => Volatile.Write(ref _hasTombstones, value);
    }

    /// <summary>Whether a walk may still find blocks that the index does not know.</summary>
    internal bool IsRebuilding
    {
        get => Volatile.Read(ref _isRebuilding);
        set => Volatile.Write(ref _isRebuilding, value);
    }

    /// <summary>The approximate number of entries that a walk inserted since the index last grew for it.</summary>
    internal int FoundSinceGrowth { get; set; }

    /// <summary>
    /// The keys removed since the comparison of index and pile began; null when none runs. While it is set, the counters are taken to
    /// include every entry that the walk finds, whether or not a slot leads to it; after damage all is counted anew at the end.
    /// </summary>
    internal RemovedKeys? RemovedKeys
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _removedKeys);
        set => Volatile.Write(ref _removedKeys, value);
    }

    /// <summary>The visibility floor: reads show no entry below this version. See <c>Visibility</c>.</summary>
    internal ulong VisibilityFloor
    {
        get => Volatile.Read(ref _visibilityFloor);
        set => Volatile.Write(ref _visibilityFloor, value);
    }

    /// <summary>Whether reads may take the fast path, which checks neither checksums nor <see cref="VisibilityFloor"/>.</summary>
    internal bool ReadsPlain
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _readsPlain);
        set => Volatile.Write(ref _readsPlain, value);
    }

    /// <summary>Whether entries of all versions are visible.</summary>
    internal bool IsAllVisible => VisibilityFloor == 0;

    /// <summary>Whether there is a limit in entries or bytes.</summary>
    internal bool IsLimited => Options.MaxEntries != null || Options.MaxBytes != null;

    /// <summary>
    /// The bytes available for blocks: the limit less index, evictor (with what its first eviction allocates) and a small allowance for
    /// index lines and queue pages added between two checks.
    /// </summary>
    internal long BlockLimitBytes =>
        Options.MaxBytes is { } limit ? BytesBesideIndex(limit) - (Evictor?.NeededBytes ?? 0) : long.MaxValue;

    /// <summary>What a limit leaves for blocks and evictor; negative where the index alone takes more.</summary>
    internal long BytesBesideIndex(long limit) =>
        limit - (limit >= LargeLimitBytes ? LargeAllowanceBytes : SmallAllowanceBytes) - Index.SizeBytes;

    /// <summary>Draws the version of a put, higher than all before.</summary>
    internal ulong NextVersion(long now) => Pile.Engine.Versions.Next(Clock.VersionAt(now));

    /// <summary>Whether the index has a flag set.</summary>
    internal bool HasFlag(int flag) => Index.Head->HasFlag(flag);

    /// <summary>
    /// Sets or clears a flag of the index. Set it before the change that it announces: after a kill the flags may claim too much, never too
    /// little.
    /// </summary>
    internal void SetFlag(int flag, bool isSet) => Index.Head->SetFlag(flag, isSet);

    private void Set(ref bool field, int flag, bool value)
    {
        // The flag in the index before the field: a put that finds the field set relies on the flag.
        if (value != Volatile.Read(ref field))
            SetFlag(flag, value);
        Volatile.Write(ref field, value);
    }

    // Asked by the index before it allocates another chunk.
    private bool MayGrowBy(long bytes) =>
        Options.MaxBytes is null || Evictor == null || Interlocked.Read(ref Usage.FootprintBytes) + bytes <= BlockLimitBytes;
}
