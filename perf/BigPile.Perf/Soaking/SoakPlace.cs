using System;
using System.Threading;
using BigPile.Caching;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Soaking;

/// <summary>The state shared by all workers: the pile, its tables, and the errors found.</summary>
internal sealed class SoakPlace : IDisposable
{
    /// <summary>The most that an entry of the table with expiry may be old.</summary>
    internal static readonly TimeSpan LongestAge = TimeSpan.FromMinutes(10);

    private bool _isOver;

    internal SoakPlace(SoakOptions options, WorkDirectory? directory)
    {
        Options = options;
        Budget = new SoakBudget(options);
        Pile = new Pile(new PileOptions
        {
            Store = options.Store,
            Directory = directory?.PilePath,
            SegmentBytes = Budget.SegmentBytes,
        });
        Cache = new PileCache(Pile, ownsPile: true);
        Kept = Cache.GetOrCreateTable<long, byte[]>(new TableOptions("kept") { CollisionMode = CollisionMode.Durable });
        Limited = Cache.GetOrCreateTable<string, byte[]>(
            new TableOptions("limited") { MaxBytes = Budget.LimitedBytes, DefaultMaxAge = LongestAge });
        Tagged = Cache.GetOrCreateTable<long, byte[]>(new TableOptions("tagged") { MaxBytes = Budget.TaggedBytes });
        SharedPointers = new ulong[Budget.SharedSlots * options.Threads];
        SharedVersions = new ushort[SharedPointers.Length];
    }

    internal SoakOptions Options { get; }

    internal SoakBudget Budget { get; }

    internal Pile Pile { get; }

    internal PileCache Cache { get; }

    internal SoakErrors Errors { get; } = new();

    /// <summary>Whether the workers are to end.</summary>
    internal bool IsOver
    {
        get => Volatile.Read(ref _isOver) || Errors.AreTooMany;
        set => Volatile.Write(ref _isOver, value);
    }

    /// <summary>A durable table.</summary>
    internal CacheTable<long, byte[]> Kept { get; }

    /// <summary>A table at its limit, whose entries expire.</summary>
    internal CacheTable<string, byte[]> Limited { get; }

    /// <summary>A table at its limit, with tags, priorities and pinned entries.</summary>
    internal CacheTable<long, byte[]> Tagged { get; }

    /// <summary>Pointers of the values that all read; of each one worker changes it.</summary>
    internal ulong[] SharedPointers { get; }

    /// <summary>The version that each of them has at least, once it is there.</summary>
    internal ushort[] SharedVersions { get; }

    public void Dispose() => Cache.Dispose();
}
