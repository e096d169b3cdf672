using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace BigPile.Perf.Traffic;

/// <summary>What all clients did and found, and how far they are.</summary>
/// <remarks>Thread safety: all members may be called concurrently, but for <see cref="WaitFor"/>, which one thread calls.</remarks>
internal sealed class TrafficTally : IDisposable
{
    private const int MaxExamples = 10;

    private readonly long[] _byKind = new long[Enum.GetValues<TrafficKind>().Length];
    private readonly List<string> _examples = [];
    private readonly ManualResetEventSlim _reached = new();
    private long _done;
    private long _target = long.MaxValue;
    private long _wrong;
    private long _expired;
    private long _uncertain;
    private long _finalReads;

    internal long Done => Interlocked.Read(ref _done);

    internal long Wrong => Interlocked.Read(ref _wrong);

    internal long Expired => Interlocked.Read(ref _expired);

    internal long Uncertain => Interlocked.Read(ref _uncertain);

    internal long FinalReads => Interlocked.Read(ref _finalReads);

    /// <summary>Why the load can't go on.</summary>
    internal Exception? Failure { get; private set; }

    internal IReadOnlyList<string> Examples
    {
        get
        {
            lock (_examples)
                return [.. _examples];
        }
    }

    internal Dictionary<string, long> Operations => Enum.GetValues<TrafficKind>()
        .ToDictionary(static kind => NameOf(kind), kind => Interlocked.Read(ref _byKind[(int)kind]));

    internal void CountDone(ReadOnlySpan<TrafficRequest> requests)
    {
        foreach (ref readonly TrafficRequest request in requests)
            Interlocked.Increment(ref _byKind[(int)request.Kind]);
        if (Interlocked.Add(ref _done, requests.Length) >= Interlocked.Read(ref _target))
            _reached.Set();
    }

    internal void CountWrong(string what)
    {
        Interlocked.Increment(ref _wrong);
        lock (_examples)
        {
            if (_examples.Count < MaxExamples)
                _examples.Add(what);
        }
    }

    internal void CountExpired() => Interlocked.Increment(ref _expired);

    internal void CountUncertain(int changes) => Interlocked.Add(ref _uncertain, changes);

    internal void CountFinalReads(int reads) => Interlocked.Add(ref _finalReads, reads);

    internal void Fail(Exception failure)
    {
        Failure ??= failure;
        _reached.Set();
    }

    /// <summary>Waits until so many requests are done, or the load can't go on.</summary>
    internal void WaitFor(long done, CancellationToken stop)
    {
        _reached.Reset();
        Interlocked.Exchange(ref _target, done);
        if (Failure == null && Done < done)
            _reached.Wait(stop);
    }

    public void Dispose() => _reached.Dispose();

    private static string NameOf(TrafficKind kind) => kind switch
    {
        TrafficKind.Read => "reads",
        TrafficKind.ReadIfChanged => "conditionalReads",
        TrafficKind.ReadHead => "headReads",
        TrafficKind.Write => "writes",
        TrafficKind.WriteForTime => "writesWithLifetime",
        TrafficKind.Delete => "deletes",
        TrafficKind.ReadMany => "batchReads",
        _ => "batchWrites",
    };
}

/// <summary>What a request asks for.</summary>
internal enum TrafficKind
{
    Read,
    ReadIfChanged,
    ReadHead,
    Write,
    WriteForTime,
    Delete,
    ReadMany,
    WriteMany,
}

/// <summary>A request that was sent.</summary>
/// <param name="Kind">What it asks for.</param>
/// <param name="First">Where its keys begin in the list of the batch.</param>
/// <param name="Count">How many they are.</param>
/// <param name="LifetimeMs">How long what it writes lives; 0: without an end.</param>
/// <param name="Tag">The entity tag that it names; 0: none.</param>
internal readonly record struct TrafficRequest(TrafficKind Kind, int First, int Count, int LifetimeMs, ulong Tag)
{
    internal bool IsChange => Kind is TrafficKind.Write or TrafficKind.WriteForTime or TrafficKind.Delete or TrafficKind.WriteMany;

    internal bool HasBody => Kind != TrafficKind.ReadHead;
}
