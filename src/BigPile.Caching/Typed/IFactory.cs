using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>A factory in any of the forms that a caller may give it in.</summary>
internal interface IFactory<TKey, TValue>
{
    /// <summary>Whether it makes values on the thread that calls it, and its callers block until then.</summary>
    static abstract bool IsBlocking { get; }

    /// <summary>Makes a value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="context">What it may know and decide.</param>
    /// <param name="cancellation">Cancelled when no caller waits any more.</param>
    ValueTask<TValue> MakeAsync(TKey key, FactoryContext<TValue> context, CancellationToken cancellation);
}

/// <summary>A factory that makes values on the thread that calls it.</summary>
internal readonly struct BlockingFactory<TKey, TState, TValue>(TState state, Func<TKey, TState, FactoryContext<TValue>, TValue> factory)
    : IFactory<TKey, TValue>
{
    public static bool IsBlocking => true;

    public ValueTask<TValue> MakeAsync(TKey key, FactoryContext<TValue> context, CancellationToken cancellation)
    {
        using FlightNode.ThreadScope scope = context.Node.EnterThread();
        return new ValueTask<TValue>(factory(key, state, context));
    }
}

/// <summary>An asynchronous factory.</summary>
internal readonly struct AsyncFactory<TKey, TState, TValue>(
    TState state, Func<TKey, TState, FactoryContext<TValue>, CancellationToken, ValueTask<TValue>> factory)
    : IFactory<TKey, TValue>
{
    public static bool IsBlocking => false;

    public ValueTask<TValue> MakeAsync(TKey key, FactoryContext<TValue> context, CancellationToken cancellation) =>
        factory(key, state, context, cancellation);
}
