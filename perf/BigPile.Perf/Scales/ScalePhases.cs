using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using BigPile.Perf.Payloads;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Scales;

/// <summary>The loops of a scale load: each phase does a number of operations, however many objects there are.</summary>
/// <remarks>Thread safety: the workers call the phases concurrently; each has a share of the objects of its own.</remarks>
internal sealed class ScalePhases(Pile pile, int count, int threads)
{
    private readonly PilePointer[] _pointers = new PilePointer[count];
    private readonly Worker[] _shares = Worker.Divide(count, threads);
    private readonly BytesKind[] _kinds = MakeKinds(threads);

    internal LatencyHistogram[] Gets { get; } = MakeHistograms(threads); // the times of single gets, by worker
    internal LatencyHistogram[] Puts { get; } = MakeHistograms(threads); // the times of single puts, by worker

    internal void Fill(Worker worker, int start, int end)
    {
        for (int i = start; i < end; i++)
            _pointers[i] = _kinds[worker.Index].Put(pile, i);
    }

    internal void Get(Worker worker, int start, int end)
    {
        BytesKind kind = _kinds[worker.Index];
        RandomOrder order = OrderOf(worker, start);
        for (int i = start; i < end; i++)
        {
            int number = NumberOf(worker, ref order);
            if (!kind.IsIntact(pile, _pointers[number], number))
                FailChanged(number);
        }
    }

    internal void Put(Worker worker, int start, int end)
    {
        BytesKind kind = _kinds[worker.Index];
        RandomOrder order = OrderOf(worker, start);
        for (int i = start; i < end; i++)
        {
            int number = NumberOf(worker, ref order);
            PilePointer old = _pointers[number];
            _pointers[number] = kind.Put(pile, number);
            pile.Delete(old);
        }
    }

    internal void GetTimed(Worker worker, int start, int end)
    {
        BytesKind kind = _kinds[worker.Index];
        RandomOrder order = OrderOf(worker, start);
        for (int i = start; i < end; i++)
        {
            int number = NumberOf(worker, ref order);
            long startedAt = Stopwatch.GetTimestamp();
            bool isIntact = kind.IsIntact(pile, _pointers[number], number);
            Gets[worker.Index].Add(NanosecondsSince(startedAt));
            if (!isIntact)
                FailChanged(number);
        }
    }

    internal void PutTimed(Worker worker, int start, int end)
    {
        BytesKind kind = _kinds[worker.Index];
        RandomOrder order = OrderOf(worker, start);
        for (int i = start; i < end; i++)
        {
            int number = NumberOf(worker, ref order);
            PilePointer old = _pointers[number];
            long startedAt = Stopwatch.GetTimestamp();
            _pointers[number] = kind.Put(pile, number);
            Puts[worker.Index].Add(NanosecondsSince(startedAt));
            pile.Delete(old);
        }
    }

    /// <summary>Forgets the times.</summary>
    internal void ClearTimes()
    {
        for (int i = 0; i < Gets.Length; i++)
        {
            Gets[i] = new LatencyHistogram();
            Puts[i] = new LatencyHistogram();
        }
    }

    private RandomOrder OrderOf(Worker worker, int start)
    {
        Worker share = _shares[worker.Index];
        return new RandomOrder(seed: start, Math.Max(1, share.End - share.Start));
    }

    private int NumberOf(Worker worker, ref RandomOrder order) => _shares[worker.Index].Start + order.Next();

    private static long NanosecondsSince(long startedAt) => ScaleClock.Nanoseconds(Stopwatch.GetTimestamp() - startedAt);

    private static BytesKind[] MakeKinds(int threads)
    {
        var kind = new BytesKind(ScaleOptions.PayloadBytes);
        var kinds = new BytesKind[threads];
        for (int i = 0; i < threads; i++)
            kinds[i] = kind.ForThread();
        return kinds;
    }

    private static LatencyHistogram[] MakeHistograms(int threads)
    {
        var histograms = new LatencyHistogram[threads];
        for (int i = 0; i < threads; i++)
            histograms[i] = new LatencyHistogram();
        return histograms;
    }

    [DoesNotReturn]
    private static void FailChanged(int number) =>
        throw new LoadException(string.Create(
            CultureInfo.InvariantCulture, $"Object {number:N0} came back as another one than was put. The pile is at fault."));
}
