using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.SingleFlight;

/// <summary>A run as a node of the wait graph: a wait that would close a cycle is refused, since it could never end.</summary>
/// <remarks>
/// The run that a wait belongs to follows the execution context, so it holds on every thread that an asynchronous factory continues on.
/// Where the context is another one, the thread decides, which a synchronous factory keeps. Behind
/// <see cref="ExecutionContext.SuppressFlow"/> another thread has neither: such a wait ends by <see cref="FlightTimeout"/>. A task that a
/// factory starts counts as the factory until its run has ended. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="key">The key.</param>
/// <param name="table">The key's table.</param>
internal sealed class FlightNode(object key, string table)
{
    private static readonly AsyncLocal<FlightNode?> Running = new(); // the run of this context

    [ThreadStatic]
    private static FlightNode? _onThread; // the synchronous run of this thread

    private static readonly Lock GraphLock = new(); // of all caches: a circle may go through several tables

    /// <summary>The runs that this one waits for. Guarded by <see cref="GraphLock"/>.</summary>
    private readonly List<FlightNode> _awaited = [];
    private bool _hasEnded; // guarded by GraphLock
    private TaskCompletionSource? _awaitedByFactory; // completes once a factory waits for this run; guarded by GraphLock

    /// <summary>
    /// Completes once a factory waits for this run, on its thread: all threads of the pool may be waiting for what this one has.
    /// </summary>
    internal Task WhenAwaited
    {
        get
        {
            lock (GraphLock)
            {
                _awaitedByFactory ??= new TaskCompletionSource();
                if (IsNested)
                    _awaitedByFactory.TrySetResult();
                return _awaitedByFactory.Task;
            }
        }
    }

    /// <summary>Whether a factory waits for this run, or has.</summary>
    internal bool IsNested { get; private set; }

    /// <summary>Marks this execution context as the run's factory.</summary>
    internal void Enter() => Running.Value = this;

    /// <summary>Marks this thread, in whatever context, as the run's factory until the result is disposed.</summary>
    internal ThreadScope EnterThread()
    {
        var scope = new ThreadScope(Running.Value, _onThread);
        Running.Value = _onThread = this;
        return scope;
    }

    /// <summary>Ends the run: nothing waits for it any more.</summary>
    internal void End()
    {
        lock (GraphLock)
        {
            _hasEnded = true;
            _awaited.Clear();
        }
    }

    /// <summary>Begins a wait of the calling run for this one, until the result is disposed.</summary>
    /// <param name="byFactory">Whether the caller is that run's factory, and has a place while it waits; or comes before it.</param>
    /// <exception cref="InvalidOperationException">The caller is a factory that this run waits for.</exception>
    internal Wait BeginWait(bool byFactory = true)
    {
        if ((Running.Value ?? _onThread) is not { } waiter)
            return default;
        var nested = new List<FlightNode>();
        bool isCircle;
        lock (GraphLock)
        {
            if (waiter._hasEnded || _hasEnded)
                return default;
            // Asked and added under one lock: of two waits that would close a circle together, the second is refused.
            isCircle = LeadsTo(waiter);
            if (!isCircle)
            {
                waiter._awaited.Add(this);
                if (byFactory || waiter.IsNested)
                    NestLocked(nested);
            }
        }
        foreach (FlightNode node in nested)
            node._awaitedByFactory?.TrySetResult(); // outside the lock: who waits for a place goes on here
        if (!isCircle)
            return new Wait(waiter, this);
        throw waiter == this ? WaitsForItself() : WaitsInCycle(waiter); // outside the lock: the key's ToString is application code
    }

    // With what it waits for, as a part of one call. There is no circle.
    private void NestLocked(List<FlightNode> nested)
    {
        Debug.Assert(GraphLock.IsHeldByCurrentThread, "Edges are added under it.");
        if (IsNested)
            return;
        IsNested = true;
        nested.Add(this);
        foreach (FlightNode next in _awaited)
            next.NestLocked(nested);
    }

    private bool LeadsTo(FlightNode other)
    {
        var open = new Stack<FlightNode>([this]);
        var seen = new HashSet<FlightNode>([this]);
        while (open.TryPop(out FlightNode? node))
        {
            if (node == other)
                return true;
            foreach (FlightNode next in node._awaited)
            {
                if (seen.Add(next))
                    open.Push(next);
            }
        }
        return false;
    }

    private InvalidOperationException WaitsForItself() => new(
        $"The factory for {this} asks for the same key, and would wait for itself. Make the value without reading its own key.");

    private InvalidOperationException WaitsInCycle(FlightNode waiter) => new(
        $"The factory for {waiter} asks for {this}, whose own factory waits for the first: neither could ever end. "
        + "Make one of the values without the other.");

    /// <summary>Why a stale value is given while the run goes on, or is given up.</summary>
    internal TimeoutException IsLate(TimeSpan timeout) => new($"The factory for {this} has not ended within {timeout}.");

    /// <summary>The exception for a factory that takes longer than its caller waits.</summary>
    internal TimeoutException TakesLongerThan(TimeSpan timeout) => new(
        $"The factory for {this} has not ended within {timeout}, its FactoryHardTimeout, and there is no stale value to give.");

    /// <summary>The exception for a wait that timed out.</summary>
    internal TimeoutException TakesTooLong(TimeSpan timeout) => new(
        $"The factory for {this} of another caller has not ended within {timeout}. If it waits for this caller, neither could ever end: "
        + "make the value without reading its own key. If it only takes long, raise FactoryPatience of the cache's options.");

    public override string ToString() => $"the key '{key}' of the table '{table}'";

    /// <summary>Restores the run that the thread and context had before.</summary>
    internal readonly struct ThreadScope(FlightNode? inContext, FlightNode? onThread) : IDisposable
    {
        public void Dispose()
        {
            Running.Value = inContext;
            _onThread = onThread;
        }
    }

    /// <summary>A wait of one run for another.</summary>
    internal readonly struct Wait(FlightNode waiter, FlightNode awaited) : IDisposable
    {
        public void Dispose()
        {
            if (waiter == null) // no wait began
                return;
            lock (GraphLock)
                _ = waiter._awaited.Remove(awaited);
        }
    }
}
