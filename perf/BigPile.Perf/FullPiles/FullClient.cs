using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Perf.Tables;

namespace BigPile.Perf.FullPiles;

/// <summary>A thread of the load: it gets or puts keys, most often the same ones, or only puts them.</summary>
/// <remarks>Thread safety: one thread runs it, and others read what it has counted once it has ended.</remarks>
internal sealed class FullClient(int index, int keys, int seed, FullKind kind, FullTarget target)
{
    internal const int Count = 8; // four of them only put
    internal const double Zipf = 0.9;

    private const int SeedsOfClients = 1009; // a prime
    private const int BetweenReports = 256;
    private const int LeastOperations = 4096; // of a half, on a machine that is too busy as well
    private const double NsPerSecond = 1e9;

    private readonly ZipfOrder _order = new(unchecked(seed * SeedsOfClients + index), keys, Zipf);
    private readonly bool _isWriter = index % 2 == 0;
    private int _number; // of the present key
    private bool _isMiss;

    /// <summary>The times of puts in the second half.</summary>
    internal LatencyHistogram Puts { get; } = new();

    internal long Operations { get; private set; }
    internal long FirstHalfOperations { get; private set; }
    internal long Gets { get; private set; } // in the second half

    internal long Hits { get; private set; } // of these
    internal long Refusals { get; private set; } // puts that were refused, where they may be
    internal long Exceptions { get; private set; } // any others
    internal string? FirstException { get; private set; }

    /// <summary>Runs until a time is over, and longer if it has hardly begun by then.</summary>
    internal void Run(TimeSpan time, Worker progress, CancellationToken stop)
    {
        long start = Stopwatch.GetTimestamp();
        for (long half = 0; half < 2; half++)
        {
            TimeSpan end = time * (half + 1) / 2;
            long least = Operations + LeastOperations;
            while (Stopwatch.GetElapsedTime(start) is { } now && (now < end || Operations < least))
            {
                Step(half == 1);
                if (Operations % BetweenReports != 0)
                    continue;
                stop.ThrowIfCancellationRequested();
                progress.Done = (long)(Math.Min(1, now / time) * (progress.End - progress.Start));
            }
            if (half == 0)
                FirstHalfOperations = Operations;
        }
    }

    /// <summary>Makes the operations that another client made, in the same halves.</summary>
    internal void Repeat(FullClient other, Worker progress, CancellationToken stop)
    {
        for (long i = 0; i < other.Operations; i++)
        {
            Step(i >= other.FirstHalfOperations);
            if (i % BetweenReports != 0)
                continue;
            stop.ThrowIfCancellationRequested();
            progress.Done = i * (progress.End - progress.Start) / other.Operations;
        }
    }

    private void Step(bool counts)
    {
        _number = _order.Next();
        Operations++;
        string key = FullValues.KeyOf(_number);
        if (_isWriter)
            Put(key, counts);
        else
            Get(key, counts);
    }

    private void Put(string key, bool counts)
    {
        byte[] value = FullValues.Make(_number);
        long start = Stopwatch.GetTimestamp();
        try
        {
            target.Put(key, value);
        }
        catch (Exception e)
        {
            CountFailure(e);
        }
        if (counts)
            Puts.Add((long)(Stopwatch.GetElapsedTime(start).TotalSeconds * NsPerSecond));
    }

    private void Get(string key, bool counts)
    {
        _isMiss = false;
        byte[]? value = null;
        try
        {
            value = target.GetOrPut(key, Make);
        }
        catch (Exception e)
        {
            CountFailure(e);
        }
        if (value != null)
            FullValues.Check(_number, value);
        if (!counts)
            return;
        Gets++;
        if (value != null && !_isMiss)
            Hits++;
    }

    private byte[] Make()
    {
        _isMiss = true;
        return FullValues.Make(_number);
    }

    private void CountFailure(Exception e)
    {
        if (e is PileFullException && FullTarget.MayRefuse(kind))
        {
            Refusals++;
            return;
        }
        Exceptions++;
        FirstException ??= $"{e.GetType().Name}: {e.Message}";
    }
}
