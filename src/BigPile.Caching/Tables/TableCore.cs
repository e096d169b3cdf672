using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Clocks;
using BigPile.Caching.Events;
using BigPile.Caching.Eviction;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Spill;
using BigPile.Caching.Tags;

namespace BigPile.Caching.Tables;

/// <summary>What a table from key bytes to payloads is: index, clock, counters, options, state, and the way in and out.</summary>
/// <remarks>
/// What can be done with it is in <c>Operations</c>, and the typed tables are thin covers of that.
/// Order of a put, all under the lock of the key's bucket: next version; new block published; index slot swung to it; old block freed.
/// A kill between leaves two blocks with one key, of which the higher version is right. Freed outside the lock, the old block could
/// outlive a removal of the same key by another thread, and bring it back after a kill.
/// Lock order: a shard of the evictor, then a bucket, then the tags' marks or the pile's own locks.
/// </remarks>
internal sealed unsafe partial class TableCore : IDisposable
{
    private const long LargeLimitBytes = 64 << 20;
    private const long LargeAllowanceBytes = 4 << 20;
    private const long SmallAllowanceBytes = 128 << 10;

    private TableOptions _options;
    private Evictor? _evictor;
    private Adoption? _backfill;
    private ReadBuffer? _readBuffer;
    private RemovedKeys? _removedKeys;
    private FlightRuns? _runs;
    private ulong _visibilityFloor;
    private bool _isRebuilding;
    private bool _hasOpaqueValues;
    private bool _hasPriorities;
    private bool _hasTombstones;
    private bool _readsPlain;

    /// <summary>
    /// Makes a table with an empty index, or with one that is to be restored. Its options do not count before it has begun.
    /// </summary>
    /// <param name="pile">The pile that has the entries.</param>
    /// <param name="id">The id that they have.</param>
    /// <param name="name">The table's name.</param>
    /// <param name="keyKind">The kind of its keys.</param>
    /// <param name="hash">The hash of keys.</param>
    /// <param name="clock">The cache's time.</param>
    /// <param name="options">How it behaves.</param>
    /// <param name="place">Where its index is; by itself in the memory of the process.</param>
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

    /// <summary>Where changes of an index that outlives the process are noted; none for any other one.</summary>
    internal IntentLog? Intents { get; }

    internal TagMarks Tags { get; }

    internal EntryEvents Events { get; }

    /// <summary>The runs of factories for keys of the table, as what happens to the keys is told to them.</summary>
    internal FlightTickets Flights { get; } = new();

    /// <summary>How long a caller waits for the run of another one.</summary>
    internal FlightTimeout FlightTimeout { get; init; } = FlightTimeout.Infinite;

    /// <summary>The same runs, as others find and join them.</summary>
    internal FlightRuns FlightRunsBy(IEqualityComparer<FlightKey> comparer) =>
        _runs ?? LazyInitializer.EnsureInitialized(ref _runs, () => new FlightRuns(comparer)); // most tables have no factories

    /// <summary>What has left memory at a limit, and can come back; none unless the cache has a place for it.</summary>
    internal SpillStore? Spill { get; init; }

    /// <summary>How far the sweeps have come.</summary>
    internal SweepPlace SweepPlace { get; } = new();

    /// <summary>Set once, before the table is used: compares keys in the place of their bytes.</summary>
    internal object? KeyComparer { get; set; }

    /// <summary>Whether the pile had the table before it was opened: an earlier version may have put entries.</summary>
    internal bool WasFound { get; init; }

    /// <summary>Whether the application has said how the table is to behave.</summary>
    internal bool IsConfigured { get; set; }

    /// <summary>How far the index is in knowing every entry of the pile.</summary>
    internal CacheReadiness Readiness { get; set; } = new();

    /// <summary>Whether keys may be put and removed; not while the table is brought back.</summary>
    internal bool IsInUse { get; set; } = true;

    /// <summary>Whether values are in a form of the application's own, which a service neither shows nor puts.</summary>
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

    /// <summary>Held by who changes the options.</summary>
    internal Lock ConfigurationLock { get; } = new();

    /// <summary>Whether hits and misses are counted. It and what follows changes only while nobody is inside.</summary>
    internal bool CountsReads { get; set; }

    /// <summary>Whether uses of entries are counted, since an entry may have to go for another one.</summary>
    internal bool CountsUses { get; set; }

    /// <summary>The most lines of a bucket.</summary>
    internal int MaxLines { get; set; }

    /// <summary>What chooses the entries that go at a limit; there is none without a limit, and while the index is being rebuilt.</summary>
    internal Evictor? Evictor
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _evictor);
        set => Volatile.Write(ref _evictor, value);
    }

    /// <summary>How far the evictor's queues have the entries that were there before; none once they have all.</summary>
    internal Adoption? Backfill
    {
        get => Volatile.Read(ref _backfill);
        set => Volatile.Write(ref _backfill, value);
    }

    /// <summary>What reads have noticed. There is none before the first note.</summary>
    internal ReadBuffer? ReadBufferOrNull => Volatile.Read(ref _readBuffer);

    internal ReadBuffer ReadBuffer =>
        Volatile.Read(ref _readBuffer) ?? Interlocked.CompareExchange(ref _readBuffer, new ReadBuffer(), null) ?? _readBuffer;

    /// <summary>What a limited table has, and has promised.</summary>
    internal TableUsage Usage { get; } = new();

    /// <summary>Whether every read looks at the checksum of what it reads.</summary>
    internal bool ChecksEveryRead { get; }

    /// <summary>Whether blocks are never changed where they lie: a kill or a power cut must find each whole.</summary>
    internal bool CopiesToRenew { get; }

    /// <summary>Whether entries may be there that have another priority than most.</summary>
    internal bool HasPriorities
    {
        get => Volatile.Read(ref _hasPriorities);
        set => Set(ref _hasPriorities, IndexHead.PrioritiesFlag, value);
    }

    /// <summary>Whether marks of removed keys may be there; see <see cref="Entries.ValueKind.Tombstone"/>.</summary>
    internal bool HasTombstones
    {
        get => Volatile.Read(ref _hasTombstones);
        set => Volatile.Write(ref _hasTombstones, value);
    }

    /// <summary>Whether blocks that the index does not know yet may still turn up.</summary>
    internal bool IsRebuilding
    {
        get => Volatile.Read(ref _isRebuilding);
        set => Volatile.Write(ref _isRebuilding, value);
    }

    /// <summary>About how many entries a walk has taken in since the index grew for it.</summary>
    internal int FoundSinceGrowth { get; set; }

    /// <summary>
    /// What was removed since the index began to be compared with the pile. While there is such a thing the index should have all entries,
    /// and a walk looks whether that is so: what the walk comes by is counted, also where no slot leads to it.
    /// </summary>
    internal RemovedKeys? RemovedKeys
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _removedKeys);
        set => Volatile.Write(ref _removedKeys, value);
    }

    /// <summary>The lowest version of an entry that reads may show; see <c>Showing</c>.</summary>
    internal ulong VisibilityFloor
    {
        get => Volatile.Read(ref _visibilityFloor);
        set => Volatile.Write(ref _visibilityFloor, value);
    }

    /// <summary>Whether reads may go the short way, which looks at neither checksums nor <see cref="VisibilityFloor"/>.</summary>
    internal bool ReadsPlain
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _readsPlain);
        set => Volatile.Write(ref _readsPlain, value);
    }

    /// <summary>Whether entries are shown whatever their version is.</summary>
    internal bool IsAllVisible => VisibilityFloor == 0;

    /// <summary>Whether there is a limit in entries or bytes.</summary>
    internal bool IsLimited => Options.MaxEntries != null || Options.MaxBytes != null;

    /// <summary>
    /// The bytes that blocks may take beside the index and what evicts, with what that takes at the first eviction. It leaves out a little,
    /// for lines and pages of both that appear between two looks.
    /// </summary>
    internal long BlockLimitBytes =>
        Options.MaxBytes is { } limit ? BytesBesideIndex(limit) - (Evictor?.NeededBytes ?? 0) : long.MaxValue;

    /// <summary>What a limit in bytes leaves for blocks and what evicts; below zero where the index alone takes more.</summary>
    internal long BytesBesideIndex(long limit) =>
        limit - (limit >= LargeLimitBytes ? LargeAllowanceBytes : SmallAllowanceBytes) - Index.SizeBytes;

    /// <summary>The version of what is put now, higher than all before.</summary>
    internal ulong NextVersion(long now) => Pile.Engine.Versions.Next(Clock.VersionAt(now));

    /// <summary>Whether the index states something of itself.</summary>
    internal bool HasFlag(int flag) => Index.Head->HasFlag(flag);

    /// <summary>
    /// Has the index state something of itself, or no more. Before the change that it is about: what outlives the process says no less than
    /// what is true.
    /// </summary>
    internal void SetFlag(int flag, bool isSet) => Index.Head->SetFlag(flag, isSet);

    private void Set(ref bool field, int flag, bool value)
    {
        if (value != Volatile.Read(ref field))
            SetFlag(flag, value);
        Volatile.Write(ref field, value);
    }

    // The index asks before it takes another chunk of memory.
    private bool MayGrowBy(long bytes) =>
        Options.MaxBytes is null || Evictor == null || Interlocked.Read(ref Usage.FootprintBytes) + bytes <= BlockLimitBytes;
}
