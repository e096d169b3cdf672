using System;
using System.Collections.Concurrent;
using System.Threading;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Buffers for work that may change threads while it waits.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class BufferPool
{
    private static readonly int MaxSpare = 2 * Environment.ProcessorCount;

    private readonly ConcurrentQueue<PileBuffer> _spare = new();
    private int _lent;

    /// <summary>The buffers that are out; tests look that there are none when nothing goes on.</summary>
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

    /// <summary>A buffer that is empty at first, and goes back at the end; to be disposed once.</summary>
    internal readonly struct Loan(BufferPool pool, PileBuffer buffer) : IDisposable
    {
        internal PileBuffer Buffer => buffer;

        public void Dispose() => pool.Return(buffer);
    }
}
