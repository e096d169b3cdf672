using System;
using System.Collections.Concurrent;
using System.Threading;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>A pool of buffers for asynchronous work.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class BufferPool
{
    private static readonly int MaxSpare = 2 * Environment.ProcessorCount;

    private readonly ConcurrentQueue<PileBuffer> _spare = new();
    private int _lent;

    /// <summary>The buffers in use; tests check that it returns to zero.</summary>
    internal int Lent => Volatile.Read(ref _lent);

    internal Loan Rent()
    {
        Interlocked.Increment(ref _lent);
        return new Loan(this, _spare.TryDequeue(out PileBuffer? buffer) ? buffer : new PileBuffer());
    }

    private void Return(PileBuffer buffer)
    {
        buffer.Clear();
        if (_spare.Count < MaxSpare)
            _spare.Enqueue(buffer);
        Interlocked.Decrement(ref _lent);
    }

    /// <summary>An initially empty buffer, returned to the pool by <see cref="Dispose"/>. Dispose it once.</summary>
    internal readonly struct Loan(BufferPool pool, PileBuffer buffer) : IDisposable
    {
        internal PileBuffer Buffer => buffer;

        public void Dispose() => pool.Return(buffer);
    }
}
