using System;

namespace BigPile.Caching;

/// <summary>A value of <c>GetOrAddEntry</c>, and where it came from.</summary>
/// <typeparam name="TValue">The type of the value.</typeparam>
/// <param name="Value">The value.</param>
/// <param name="Origin">Where it came from.</param>
public readonly record struct MadeValue<TValue>(TValue Value, ValueOrigin Origin)
{
    /// <summary>
    /// Why a stale value was given: the exception of the factory, or a <see cref="TimeoutException"/>; <see langword="null"/> otherwise,
    /// and where the factory had failed before and is not to be tried yet.
    /// </summary>
    public Exception? Failure { get; init; }
}

/// <summary>Where a value came from.</summary>
public enum ValueOrigin
{
    /// <summary>It was in the table, and had not expired.</summary>
    Table,

    /// <summary>A factory made it for this caller, and for those who waited with it.</summary>
    Factory,

    /// <summary>It is stale: it has expired, and the factory failed, takes too long, or failed a short time ago.</summary>
    Stale,
}
