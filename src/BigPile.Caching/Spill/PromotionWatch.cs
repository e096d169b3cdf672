using System;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace BigPile.Caching.Spill;

/// <summary>The keys promoted to memory since a walk began: the walk may have missed them both in memory and in the file.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class PromotionWatch(Action<PromotionWatch> end) : IDisposable
{
    private readonly ConcurrentQueue<byte[]> _keys = new(); // added under stripe locks, taken by the walk

    /// <summary>The number of keys so far. A walk has not missed what is promoted behind it.</summary>
    internal int Count => _keys.Count;

    internal void Add(byte[] key) => _keys.Enqueue(key);

    internal bool TryNext([NotNullWhen(true)] out byte[]? key) => _keys.TryDequeue(out key);

    /// <summary>Ends the watch.</summary>
    public void Dispose() => end(this);
}
