using System.Threading;

namespace BigPile.Perf.Loads;

/// <summary>One thread's share of a load.</summary>
/// <param name="index">The worker's number, from 0.</param>
/// <param name="start">The number of its first object.</param>
/// <param name="end">One past the number of its last object.</param>
internal sealed class Worker(int index, int start, int end)
{
    private long _done;

    internal int Index { get; } = index;

    internal int Start { get; } = start;

    internal int End { get; } = end;

    /// <summary>The timestamps at which the phase began and ended on this thread.</summary>
    internal long StartedAt { get; set; }

    /// <inheritdoc cref="StartedAt"/>
    internal long EndedAt { get; set; }

    /// <summary>The objects that the phase has processed; written by the worker, read by the progress display.</summary>
    internal long Done
    {
        get => Volatile.Read(ref _done);
        set => Volatile.Write(ref _done, value);
    }

    /// <summary>Divides objects among threads.</summary>
    internal static Worker[] Divide(int count, int threads)
    {
        var workers = new Worker[threads];
        for (int i = 0; i < threads; i++)
            workers[i] = new Worker(i, (int)((long)count * i / threads), (int)((long)count * (i + 1) / threads));
        return workers;
    }

    /// <summary>Deals objects out in turns: a worker's objects are every <paramref name="threads"/>th, from its own number on.</summary>
    /// <remarks>The numbers from <see cref="Start"/> to <see cref="End"/> only count them.</remarks>
    internal static Worker[] Deal(int count, int threads)
    {
        var workers = new Worker[threads];
        int start = 0;
        for (int i = 0; i < threads; i++)
        {
            int end = start + (int)(((long)count - i + threads - 1) / threads);
            workers[i] = new Worker(i, start, end);
            start = end;
        }
        return workers;
    }
}
