using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Feed;
using BigPile.Caching.Index;
using BigPile.Caching.Intents;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tags;
using BigPile.Tables;

namespace BigPile.Caching.Tables;

/// <summary>A table from key bytes to payloads: its owners, its operations, and its life from the opening to the close.</summary>
/// <remarks>
/// <para>
/// Each owner has its state to itself, and no other type writes it: <see cref="Index"/>, <see cref="Entries"/>, <see cref="Tags"/>,
/// <see cref="Liveness"/>, <see cref="Visibility"/>, <see cref="Content"/>, <see cref="Limits"/>, <see cref="Intents"/>,
/// <see cref="RemovalLog"/>, <see cref="Counters"/>, <see cref="Feed"/>, <see cref="Flights"/>, <see cref="Disk"/>. The operations are
/// small types over them: <see cref="Upsert"/>, <see cref="Lookup"/>, <see cref="Delete"/>, <see cref="Touch"/>, <see cref="Peek"/> and so
/// on. The engine makes all of them, and owns the table's state and options. Most have nothing but the engine, and are made where they are
/// used.
/// </para>
/// Lock order: configuration, sweep, key stripe, drain of the read buffer, evictor shard, split, bucket, lane of the feed; then, one at a
/// time, those of the feed's pool, flights, tag marks, pending demotions, the shared intent, and the pile's own. Nothing that holds a
/// stripe waits for a rebuild.
/// </remarks>
internal sealed partial class TableEngine : IDisposable
{
    private FlightRuns? _runs; // created by the first factory
    private CacheReadiness _readiness = new(); // set at the opening
    private bool _hasOpaqueValues; // set by typed tables, adapters and mapped routes
    private bool _isInUse; // set at the opening; stays

    /// <summary>Makes a table with an empty index, or over an index to restore. The options apply once it has begun.</summary>
    /// <param name="pile">The pile that holds the entries.</param>
    /// <param name="definition">Id, name and kind of the keys.</param>
    /// <param name="hash">The key hash.</param>
    /// <param name="clock">The cache's clock.</param>
    /// <param name="options">The options.</param>
    /// <param name="place">Where the index lives; by default in process memory.</param>
    /// <param name="feed">Where the window of its feed lives; by default in process memory.</param>
    /// <param name="spill">The entries demoted to a file; null: none are.</param>
    /// <param name="factoryLimits">How many factories of the cache run at a time; null: any number.</param>
    internal TableEngine(
        Pile pile, Persistence.TableDefinition definition, KeyHash hash, CacheClock clock, TableOptions options,
        IndexStorage? place = null, FeedStorage? feed = null, SpillStore? spill = null, FactoryLimits? factoryLimits = null)
    {
        TableHeap heap = pile.Tables;
        Pile = pile;
        Heap = heap;
        Id = definition.Id;
        Name = definition.Name;
        KeyKind = definition.KeyKind;
        Hash = hash;
        Clock = clock;
        _options = options;
        place ??= new MemoryIndexStorage();
        Counters = OpenCounters(place);
        Index = new TableIndex(place, options.InitialEntries)
        {
            MayGrowBy = bytes => Limits!.MayGrowBy(bytes),
            Damaged = place.OutlivesProcess ? ReportDamagedLine : static () => { },
        };
        Entries = new EntryStore(heap, Id, hash, copiesToRenew: heap.Directory != null);
        Tags = new TagMarks(heap, Id, Index);
        Visibility = new VisibilityFloor(heap.ChecksEveryRead);
        Liveness = new EntryLiveness(Tags, clock, Visibility);
        Content = new ContentFlags(Index);
        Intents = new TableIntents(place.Intents, Counters, Id);
        RemovalLog = new RemovalLog(Index, heap);
        Feed = new TableFeed(heap, Id, feed ?? new MemoryFeedStorage(), isKept: spill == null);
        Limits = new TableLimits(Index, heap, Entries, Content, Feed);
        Meter = CacheMeter.Of(heap.Meter);
        Factories = new TableFactories(Name, factoryLimits ?? FactoryLimits.None, Meter, heap.Logger);
        Delete = new Delete(this);
        Touch = new Touch(this);
        Sweep = new Sweep(this);
        Shrink = new Shrink(this);
        Disk = spill == null ? null : new DiskTier(this, spill);
    }

    internal int Id { get; }

    internal string Name { get; }

    internal KeyKind KeyKind { get; }

    internal KeyHash Hash { get; }

    internal CacheClock Clock { get; }

    internal CacheMeter Meter { get; }

    internal Pile Pile { get; }

    /// <summary>The pile, as tables use it.</summary>
    internal TableHeap Heap { get; }

    /// <summary>Buckets, splits and locks of the index.</summary>
    internal TableIndex Index { get; }

    /// <summary>The blocks of entries.</summary>
    internal EntryStore Entries { get; }

    internal TableCounters Counters { get; }

    internal TagMarks Tags { get; }

    internal EntryLiveness Liveness { get; }

    /// <summary>What reads show while the index is rebuilt.</summary>
    internal VisibilityFloor Visibility { get; }

    /// <summary>Which kinds of entries there may be.</summary>
    internal ContentFlags Content { get; }

    /// <summary>Budget, admission and victims.</summary>
    internal TableLimits Limits { get; }

    /// <summary>What recovery reads after a kill.</summary>
    internal TableIntents Intents { get; }

    /// <summary>Records removals during an inspection.</summary>
    internal RemovalLog RemovalLog { get; }

    /// <summary>The tables of the pile, which give way when it is full.</summary>
    internal required PileCapacity PileCapacity { get; init; }

    /// <summary>The changes, for those who follow the table.</summary>
    internal TableFeed Feed { get; }

    /// <summary>The running factories, which are told of changes to their keys.</summary>
    internal FlightTickets Flights { get; } = new();

    /// <summary>What the table knows of its factories.</summary>
    internal TableFactories Factories { get; }

    internal FlightStart FlightStart => new(this);

    internal Lookup Lookup => new(this);

    internal Put Put => new(this);

    internal Peek Peek => new(this);

    internal Lease Lease => new(this);

    internal Delete Delete { get; }

    internal Touch Touch { get; }

    internal Externalize Externalize => new(this);

    internal Sweep Sweep { get; }

    internal Shrink Shrink { get; }

    internal TagRemoval TagRemoval => new(this);

    internal EntrySpecs Specs => new(this);

    internal KeyComparison Comparison => new(this);

    internal Prefetch Prefetch => new(this);

    internal BucketVictim Victim => new(this);

    /// <summary>The entries demoted to a file; null when the cache has no spill directory.</summary>
    internal DiskTier? Disk { get; }

    /// <summary>How long a caller waits for another caller's factory.</summary>
    internal FlightTimeout FlightTimeout { get; init; } = FlightTimeout.Infinite;

    /// <summary>The application's key comparer; null: keys are compared by their bytes.</summary>
    internal object? KeyComparer { get; init; }

    /// <summary>Whether the pile had the table when it was opened: an earlier version may have written entries.</summary>
    internal bool WasFound { get; init; }

    /// <summary>The progress of rebuilding the index.</summary>
    internal CacheReadiness Readiness => _readiness;

    /// <summary>
    /// Whether values may be in a form of the application's own, as encoded objects or an adapter's bytes are: a service neither returns
    /// nor accepts them.
    /// </summary>
    internal bool HasOpaqueValues => Volatile.Read(ref _hasOpaqueValues);

    internal void SetOpaque(bool isOpaque) => Volatile.Write(ref _hasOpaqueValues, isOpaque);

    /// <summary>The opening tells how far the index is. The table is not in use yet.</summary>
    internal void SetReadiness(CacheReadiness readiness) => _readiness = readiness;

    /// <summary>Keys may be put and removed from here on: the opening has recovered what a kill interrupted.</summary>
    internal void BeginUse() => _isInUse = true;

    /// <summary>The running factories by key, for callers that join them.</summary>
    internal FlightRuns FlightRunsBy(IEqualityComparer<FlightKey> comparer) =>
        _runs ?? LazyInitializer.EnsureInitialized(ref _runs, () => new FlightRuns(comparer)); // most tables have none

    /// <summary>Draws the version of a put, higher than all before.</summary>
    internal ulong NextVersion(long now) => Heap.Versions.Next(Clock.VersionAt(now));

    private static unsafe TableCounters OpenCounters(IndexStorage place) =>
        place.OutlivesProcess ? new TableCounters(place.Cells, place.Head->OwnCells, place.Head->Base) : new TableCounters();
}
