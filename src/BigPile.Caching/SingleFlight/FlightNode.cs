using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Caching.SingleFlight;

/// <summary>
/// A run of a factory as others wait for it: who would close a circle of waits is refused, since none of them could ever end.
/// </summary>
/// <remarks>
/// Which run a wait belongs to is told by the execution context, so that it counts on whatever thread a factory goes on; and where that is
/// another one than the factory's, by the thread, which a factory that is not asynchronous keeps. Behind
/// <see cref="ExecutionContext.SuppressFlow"/> another thread has neither: such a wait ends by <see cref="FlightTimeout"/>. A task that
/// a factory starts counts as the factory until its run has ended. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="key">The key.</param>
/// <param name="table">The table that the key belongs to.</param>
internal sealed class FlightNode(object key, string table)
{
    private static readonly AsyncLocal<FlightNode?> Running = new();

    [ThreadStatic]
    private static FlightNode? _onThread;

    private static readonly Lock GraphLock = new();

    private readonly List<FlightNode> _awaited = [];
    private bool _hasEnded;

    /// <summary>States that what follows in this execution context is the run's factory.</summary>
    internal void Enter() => Running.Value = this;

    /// <summary>States that what follows on this thread is the run's factory, in whatever context, until the result is disposed.</summary>
    internal ThreadScope EnterThread()
    {
        var scope = new ThreadScope(Running.Value, _onThread);
        Running.Value = _onThread = this;
        return scope;
    }

    /// <summary>States that the run has ended, so that nobody can wait for it in vain.</summary>
    internal void End()
    {
        lock (GraphLock)
        {
            _hasEnded = true;
            _awaited.Clear();
        }
    }

    /// <summary>States that the caller is about to wait for the run, until the result is disposed.</summary>
    /// <exception cref="InvalidOperationException">The caller is a factory whose run this one waits for.</exception>
    internal Wait BeginWait()
    {
        if ((Running.Value ?? _onThread) is not { } waiter)
            return default;
        lock (GraphLock)
        {
            if (waiter._hasEnded || _hasEnded)
                return default;
            if (!LeadsTo(waiter))
            {
                waiter._awaited.Add(this);
                return new Wait(waiter, this);
            }
        }
        throw waiter == this ? WaitsForItself() : WaitsInCycle(waiter); // with no lock held: a key's text is made by the application's code
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
        $"The factory for {this} asks for the same key, and would wait for itself. Make the value without a look at its own key.");

    private InvalidOperationException WaitsInCycle(FlightNode waiter) => new(
        $"The factory for {waiter} asks for {this}, whose own factory waits for the first: neither could ever end. "
        + "Make one of the values without the other.");

    /// <summary>What is thrown when a caller has waited long enough.</summary>
    internal TimeoutException TakesTooLong(TimeSpan timeout) => new(
        $"The factory for {this} of another caller has not ended within {timeout}. If it waits for this caller, neither could ever end: "
        + "make the value without a look at its own key. If it only takes long, raise FactoryPatience of the cache's options.");

    public override string ToString() => $"the key '{key}' of the table '{table}'";

    /// <summary>What a thread was at before it entered a run.</summary>
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
            if (waiter == null)
                return;
            lock (GraphLock)
                _ = waiter._awaited.Remove(awaited);
        }
    }
}
