using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Threading;
using BigPile.Perf.Payloads;

namespace BigPile.Perf.Loads;

/// <summary>The loops over objects: what each phase does to a batch of them.</summary>
/// <remarks>
/// Thread safety: the workers call the phases concurrently, each for objects of its own; <see cref="Reopen"/> runs between phases only.
/// </remarks>
internal sealed class ObjectPhases<TKind> : IDisposable
    where TKind : struct, IPayloadKind<TKind>
{
    private const int EntriesBetweenReports = 1 << 16;

    private readonly PilePointer[] _pointers;
    private readonly TKind[] _kinds;
    private readonly LoadLayout _layout;
    private readonly CancellationToken _stop;

    internal ObjectPhases(PileOptions pileOptions, TKind kind, InsertOptions options, LoadLayout layout, CancellationToken stop)
    {
        _pointers = new PilePointer[options.Count];
        _layout = layout;
        _stop = stop;
        _kinds = new TKind[options.Threads];
        for (int i = 0; i < _kinds.Length; i++)
            _kinds[i] = kind.ForThread();
        Pile = new Pile(pileOptions); // last, so that no later failure leaves it open
    }

    /// <summary>The pile under load; replaced when it is reopened.</summary>
    internal Pile Pile { get; private set; }

    /// <summary>The number of objects of the last walk.</summary>
    internal long EnumeratedCount { get; private set; }

    internal PilePointer FirstPointer => _pointers[0];

    internal void Put(Worker worker, int start, int end)
    {
        Pile pile = Pile;
        PilePointer[] pointers = _pointers;
        TKind kind = _kinds[worker.Index];
        for (int i = start; i < end; i++)
            pointers[i] = kind.Put(pile, i);
    }

    /// <summary>Puts all but the anchors, which are there already.</summary>
    internal void PutAroundAnchors(Worker worker, int start, int end) => Put(worker, AfterAnchor(worker, start), end);

    internal void Enumerate(Worker worker, int start, int end)
    {
        long count = 0;
        foreach (PileEntry entry in Pile)
        {
            count += entry.Pointer.IsValid ? 1 : 0;
            if (count % EntriesBetweenReports != 0)
                continue;
            worker.Done = count;
            if (_stop.IsCancellationRequested)
                return;
        }
        EnumeratedCount = count;
    }

    internal void Get(Worker worker, int start, int end)
    {
        Pile pile = Pile;
        PilePointer[] pointers = _pointers;
        TKind kind = _kinds[worker.Index];
        for (int i = start; i < end; i++)
        {
            if (!kind.IsIntact(pile, pointers[i], i))
                FailChanged(i);
        }
    }

    /// <summary>Gets as many objects as the batch has, at random.</summary>
    internal void GetAtRandom(Worker worker, int start, int end)
    {
        Pile pile = Pile;
        PilePointer[] pointers = _pointers;
        TKind kind = _kinds[worker.Index];
        var order = new RandomOrder(seed: start, limit: pointers.Length);
        for (int i = start; i < end; i++)
        {
            int number = order.Next();
            if (!kind.IsIntact(pile, pointers[number], number))
                FailChanged(number);
        }
    }

    /// <summary>As <see cref="GetAtRandom"/>, but in batched calls.</summary>
    internal void GetManyAtRandom(Worker worker, int start, int end)
    {
        Pile pile = Pile;
        TKind kind = _kinds[worker.Index];
        var order = new RandomOrder(seed: start, limit: _pointers.Length);
        Span<int> numbers = stackalloc int[PayloadPool.BatchSize];
        Span<PilePointer> pointers = stackalloc PilePointer[PayloadPool.BatchSize];
        for (int i = start; i < end; i += PayloadPool.BatchSize)
        {
            int count = Math.Min(PayloadPool.BatchSize, end - i);
            for (int k = 0; k < count; k++)
            {
                numbers[k] = order.Next();
                pointers[k] = _pointers[numbers[k]];
            }
            if (!kind.AreIntact(pile, pointers[..count], numbers[..count]))
                FailChanged(numbers[0]);
        }
    }

    internal void Delete(Worker worker, int start, int end)
    {
        Pile pile = Pile;
        PilePointer[] pointers = _pointers;
        for (int i = start; i < end; i++)
            pile.Delete(pointers[i]);
    }

    /// <summary>Deletes all but the anchors.</summary>
    internal void DeleteAroundAnchors(Worker worker, int start, int end) => Delete(worker, AfterAnchor(worker, start), end);

    /// <summary>Reopens the closed pile.</summary>
    internal void Reopen(string directory) => Pile = Pile.Open(directory);

    /// <summary>Closes the pile.</summary>
    public void Dispose() => Pile.Dispose();

    private int AfterAnchor(Worker worker, int start) => _layout.StartsWithAnchor(worker, start) ? start + 1 : start;

    [DoesNotReturn]
    private static void FailChanged(int number) =>
        throw new LoadException(string.Create(
            CultureInfo.InvariantCulture, $"Object {number:N0} came back as another one than was put. The pile is at fault."));
}

/// <summary>Divides the objects of a load into batches, and selects the anchors, which stay between the rounds.</summary>
/// <remarks>
/// A pile returns all empty segments but one to the system. A round that deleted everything would make the next one allocate its memory
/// anew, and the figures would again be those of page faults. So the first round leaves an anchor in place at regular distances, several to
/// a segment, and the second round puts around them. Anchors are a few objects in a million, and the figures exclude them. Objects of many
/// megabytes have none: so many of them would have to stay that the second round would need more memory instead.
/// </remarks>
internal sealed class LoadLayout
{
    private const int BatchBytes = 256 << 10;
    private const int MaxBatchObjects = 4096;
    private const long AnchorsPerSegmentAndThread = 4;
    private const int MinAnchorDistance = 8;

    private readonly int _anchorDistance;

    internal LoadLayout(int payloadBytes, int threads)
    {
        BatchObjects = Math.Clamp(BatchBytes / payloadBytes, 1, MaxBatchObjects);
        long anchorBytes = PileOptions.DefaultSegmentBytes / AnchorsPerSegmentAndThread / threads;
        int batches = (int)Math.Max(1, anchorBytes / payloadBytes / BatchObjects);
        _anchorDistance = batches * BatchObjects;
    }

    internal int BatchObjects { get; } // the objects that a worker handles in a row

    private bool HasAnchors => _anchorDistance >= MinAnchorDistance;

    /// <summary>Whether the first object of a worker's batch is an anchor. No other object of the batch ever is.</summary>
    internal bool StartsWithAnchor(Worker worker, int batchStart) =>
        HasAnchors && batchStart != worker.Start && (batchStart - worker.Start) % _anchorDistance == 0;

    /// <summary>The number of anchors among a worker's objects.</summary>
    internal int CountAnchors(Worker worker) =>
        HasAnchors ? (worker.End - worker.Start - 1) / _anchorDistance : 0;
}
