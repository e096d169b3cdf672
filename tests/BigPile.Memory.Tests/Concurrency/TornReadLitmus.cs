using System;
using System.Threading;
using BigPile.Memory.Concurrency;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Thread 0 changes bytes under a sequence lock, and thread 1 copies them. Forbidden: a mixed copy is confirmed.</summary>
internal sealed class TornReadLitmus : LitmusProgram
{
    private const int Words = 32;
    private const int Times = 10;
    private const int MostDelay = 100;

    private readonly long[] _words = new long[Words];
    private readonly long[] _copy = new long[Words];
    private SequenceLock _lock;
    private bool _isTorn;

    internal override void Prepare() => _isTorn = false;

    internal override void Run(int thread, Random random)
    {
        for (int i = 0; i < Times; i++)
        {
            Delay.Spin(random.Next(MostDelay));
            if (thread == 0)
                Change();
            else
                _isTorn |= TryCopy() && _copy.AsSpan().ContainsAnyExcept(_copy[0]);
        }
    }

    internal override bool IsForbidden() => _isTorn;

    private void Change()
    {
        _lock.Enter();
        _lock.BeginChange();
        for (int i = 0; i < _words.Length; i++)
            _words[i]++;
        _lock.EndChange();
        _lock.Exit();
    }

    private bool TryCopy()
    {
        ulong sequence = _lock.Sequence;
        if (SequenceLock.IsOdd(sequence))
            return false;
        for (int i = 0; i < _copy.Length; i++)
            _copy[i] = Volatile.Read(ref _words[i]);
        return _lock.IsUnchanged(sequence);
    }
}
