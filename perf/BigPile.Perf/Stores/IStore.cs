using System;

namespace BigPile.Perf.Stores;

/// <summary>A store under comparison: the table or another cache.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
internal interface IStore<TKey> : IDisposable
{
    /// <summary>Its name.</summary>
    string Name { get; }

    /// <summary>Puts a copy of a value.</summary>
    void Put(TKey key, ReadOnlySpan<byte> value);

    /// <summary>Gets a value in the store's own way: its stored array, a new one, or a copy in the buffer.</summary>
    /// <param name="key">The key.</param>
    /// <param name="buffer">A buffer for the value.</param>
    /// <returns>The value; nothing when it is missing.</returns>
    ReadOnlySpan<byte> Get(TKey key, Span<byte> buffer);
}
