using System;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace BigPile.Caching.Spill;

/// <summary>The keys of what has come back to memory since a walk began, which may have missed them in both places.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class PromotionWatch(Action<PromotionWatch> end) : IDisposable
{
    private readonly ConcurrentQueue<byte[]> _keys = new();

    /// <summary>How many there are by now. What comes back behind a walk, the walk has not missed.</summary>
    internal int Count => _keys.Count;

    internal void Add(byte[] key) => _keys.Enqueue(key);

    internal bool TryNext([NotNullWhen(true)] out byte[]? key) => _keys.TryDequeue(out key);

    /// <summary>Ends the watch.</summary>
    public void Dispose() => end(this);
}
