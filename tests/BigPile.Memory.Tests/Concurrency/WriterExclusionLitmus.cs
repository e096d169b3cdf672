using System;
using BigPile.Memory.Concurrency;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Two writers count under a sequence lock. Forbidden: a count is lost, or the sequence lacks two for each.</summary>
internal sealed class WriterExclusionLitmus : LitmusProgram
{
    private const int Changes = 50;

    private SequenceLock _lock;
    private int _count;

    internal override void Prepare()
    {
        _lock = default;
        _count = 0;
    }

    internal override void Run(int thread, Random random)
    {
        for (int i = 0; i < Changes; i++)
        {
            _lock.Enter();
            _lock.BeginChange();
            _count++;
            _lock.EndChange();
            _lock.Exit();
        }
    }

    internal override bool IsForbidden() => _count != 2 * Changes || _lock.Sequence != 2 * 2 * Changes;
}
