using System;
using System.Collections.Generic;
using System.Numerics;
using System.Threading;
using BigPile.Caching;

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
            MaxBytes = MachineLimits.Checked,
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

    internal CacheTable<long, byte[]> Kept { get; } // a durable table
    internal CacheTable<string, byte[]> Limited { get; } // a table at its limit, whose entries expire
    internal CacheTable<long, byte[]> Tagged { get; } // a table at its limit, with tags, priorities and pinned entries
    internal ulong[] SharedPointers { get; } // pointers of the values that all read; of each one worker changes it
    internal ushort[] SharedVersions { get; } // the version that each of them has at least, once it is there

    public void Dispose() => Cache.Dispose();
}

/// <summary>Divides the live bytes among the parts.</summary>
internal sealed class SoakBudget(SoakOptions options)
{
    private const int OwnPercent = 65;
    private const int SharedPercent = 5;
    private const int KeptPercent = 12;
    private const int LimitedPercent = 9;
    private const int TaggedPercent = 9;
    private const int EntryBytes = 60; // what an entry has beside its value: key, header, slack, its place in the index
    private const int HotSlots = 64;
    private const long MinSegmentBytes = 4L << 20;
    private const int SegmentsAtLeast = 16;

    /// <summary>Bytes of values that a worker has of its own.</summary>
    internal long OwnBytes => BytesOf(OwnPercent) / options.Threads;

    /// <summary>The most values that a worker has of its own.</summary>
    internal int OwnSlots => (int)Math.Min(SoakId.MaxNumber, OwnBytes / SoakSizes.MeanBytes * 3 / 2 + HotSlots);

    /// <summary>Values that all read and each worker changes so many of.</summary>
    internal int SharedSlots => NumberOf(BytesOf(SharedPercent) / SoakSizes.MeanBytes / options.Threads + HotSlots);

    /// <summary>Keys of each worker in the durable table; half of them are present.</summary>
    internal int KeptKeys => NumberOf(2 * BytesOf(KeptPercent) / (SoakSizes.MeanTableBytes + EntryBytes) / options.Threads);

    /// <summary>The limit of the table with expiry.</summary>
    internal long LimitedBytes => Math.Max(1 << 20, BytesOf(LimitedPercent));

    /// <summary>Keys of that table: twice as many as fit.</summary>
    internal int LimitedKeys => NumberOf(2 * LimitedBytes / (SoakSizes.MeanTableBytes + EntryBytes));

    /// <summary>The limit of the table with tags and priorities.</summary>
    internal long TaggedBytes => Math.Max(1 << 20, BytesOf(TaggedPercent));

    /// <summary>Keys of each worker in that table: together twice as many as fit.</summary>
    internal int TaggedKeys => NumberOf(2 * TaggedBytes / (SoakSizes.MeanTableBytes + EntryBytes) / options.Threads);

    /// <summary>Small enough for segments to come and go.</summary>
    internal long SegmentBytes => Math.Clamp(
        (long)BitOperations.RoundUpToPowerOf2((ulong)BytesOf(100) / SegmentsAtLeast), MinSegmentBytes, PileOptions.DefaultSegmentBytes);

    private long BytesOf(int percent) => options.Megabytes * 1_000_000L * percent / 100;

    private static int NumberOf(long count) => (int)Math.Min(SoakId.MaxNumber, count);
}

/// <summary>The errors that a soak found.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class SoakErrors
{
    private const int MaxExamples = 10;
    private const int TooMany = 1000; // nothing is learned from more

    private readonly List<string> _examples = [];
    private long _count;

    internal long Count => Interlocked.Read(ref _count);

    internal bool AreTooMany => Count >= TooMany;

    /// <summary>The first of them, in words.</summary>
    internal IReadOnlyList<string> Examples
    {
        get
        {
            lock (_examples)
                return [.. _examples];
        }
    }

    internal void Report(string what)
    {
        Interlocked.Increment(ref _count);
        lock (_examples)
        {
            if (_examples.Count < MaxExamples)
                _examples.Add(what);
        }
    }

    /// <summary>Reports an error, if there is one.</summary>
    /// <param name="where">What was checked.</param>
    /// <param name="why">What is wrong with it; <see langword="null"/> when nothing is.</param>
    internal void ReportIf(string where, string? why)
    {
        if (why != null)
            Report($"{where}: {why}");
    }
}
