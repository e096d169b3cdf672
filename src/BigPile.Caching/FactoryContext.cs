using System;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching;

/// <summary>What a factory may know and decide: the value that it replaces, and how the one that it makes is kept.</summary>
/// <remarks>Thread safety: for one run of a factory, which uses it in one thread at a time, and not after it has returned.</remarks>
/// <typeparam name="TValue">The type of the values.</typeparam>
public sealed class FactoryContext<TValue>
{
    private readonly StaleReader<TValue> _stale; // reads the entry when it is asked for

    internal FactoryContext(FlightNode node, EntryOptions? options, StaleReader<TValue> stale)
    {
        Node = node;
        Options = options;
        _stale = stale;
    }

    /// <summary>
    /// How the value is put: that of the call to begin with, <see langword="null"/> where it had none. Set it to decide by the result.
    /// </summary>
    public EntryOptions? Options { get; set; }

    /// <summary>Whether the value is kept; otherwise the waiting callers get it, and the next one runs the factory again.</summary>
    public bool IsKept { get; set; } = true;

    /// <summary>
    /// Whether there is a value to replace: an expired one that <see cref="EntryOptions.FailSafeMaxAge"/> keeps, or one that is refreshed
    /// before it expires.
    /// </summary>
    public bool HasStale => _stale.TryRead();

    /// <summary>That value, as a new object.</summary>
    /// <exception cref="InvalidOperationException">There is none: see <see cref="HasStale"/>.</exception>
    public TValue Stale => _stale.TryRead() ? _stale.Value! : throw None();

    /// <summary>
    /// Version, size and times of that value. A put with a condition compares the version while it has not expired; then the key is
    /// missing.
    /// </summary>
    /// <exception cref="InvalidOperationException">There is none: see <see cref="HasStale"/>.</exception>
    public EntryInfo StaleInfo => _stale.TryRead() ? _stale.Info : throw None();

    /// <summary>The time since that value was put, not below zero.</summary>
    /// <exception cref="InvalidOperationException">There is none: see <see cref="HasStale"/>.</exception>
    public TimeSpan StaleAge => _stale.TryRead() ? _stale.Age : throw None();

    internal FlightNode Node { get; }

    internal bool IsNotModified { get; private set; }

    internal FactoryFailedException? Failure { get; private set; }

    /// <summary>
    /// States that the value to replace is still right: it begins a new lifetime, as a put with the <see cref="Options"/> gives it, and
    /// where neither they nor the table have one, as long as from its last put or touch to its expiry. Its tags and priority stay where
    /// they are not given anew.
    /// </summary>
    /// <returns>That value, for the factory to return.</returns>
    /// <exception cref="InvalidOperationException">There is none: see <see cref="HasStale"/>.</exception>
    public TValue NotModified()
    {
        TValue value = Stale;
        IsNotModified = true;
        return value;
    }

    /// <summary>States that no value could be made, as an exception does, but without the cost of one.</summary>
    /// <param name="reason">Why, for <see cref="FactoryFailedException"/>, which callers get where there is no stale value.</param>
    /// <returns>Nothing of use, for the factory to return.</returns>
    public TValue Fail(string reason)
    {
        ArgumentException.ThrowIfNullOrEmpty(reason);
        Failure = new FactoryFailedException($"The factory for {Node} made no value: {reason}");
        return default!;
    }

    private InvalidOperationException None() =>
        new($"There is no value of {Node} that its factory would replace. Ask {nameof(HasStale)} first.");
}
