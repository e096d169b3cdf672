using System;
using System.Runtime.CompilerServices;
using BigPile.Caching.Keys;

namespace BigPile.Caching;

/// <summary>Values as objects of their own in the pile.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>
    /// Puts an object of the pile as a value. The table takes ownership: the object is deleted with the entry; no one else may delete it.
    /// </summary>
    /// <remarks>
    /// The entry points to the object, and each becomes durable on its own. A power cut may leave an entry put since the last flush beside
    /// an older value of the object, if that was flushed before and replaced since: the value that the last flush made durable. Flush after
    /// the replacement, or put the new value as an object of its own. After a kill both are as they were.
    /// </remarks>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <returns>The result. After <see cref="PutResult.Collision"/> the object is still the caller's.</returns>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="ArgumentException">The key is too long, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">The pile is full. Nothing changed, but for a few entries that a limit evicted.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PutResult PutPointer(TKey key, PilePointer pointer, EntryOptions? options = null)
    {
        Core.Heap.RequireObject(pointer); // refuses what is no object
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.PutPointer(_keys.Probe(key, stack), pointer, options);
    }

    /// <summary>Gets the object of a key's value; an inline value is moved to its own object first. Counts as a use.</summary>
    /// <param name="key">The key.</param>
    /// <param name="pointer">The object; the table's own, valid until the entry is replaced, removed, evicted or expires.</param>
    /// <returns><see langword="false"/> when the table has no such key, or its value is null.</returns>
    /// <exception cref="PileFullException">The pile or the table is full, and the value can't be moved. The table is unchanged.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGetPointer(TKey key, out PilePointer pointer)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        return _typed.TryGetPointer(_keys.Probe(key, stack), out pointer);
    }

    /// <summary>Gets the object that holds a key's value; see <see cref="TryGetPointer"/>.</summary>
    /// <returns>The pointer; the invalid one when the table has no such key, or its value is null.</returns>
    /// <exception cref="PileFullException">The pile or the table is full, and the value can't be moved. The table is unchanged.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PilePointer GetPointer(TKey key) => TryGetPointer(key, out PilePointer pointer) ? pointer : default;
}
