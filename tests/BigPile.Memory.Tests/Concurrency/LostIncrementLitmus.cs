using System;
using BigPile.Memory.Concurrency;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Two threads count under a spin lock. Forbidden: a count is lost.</summary>
internal sealed class LostIncrementLitmus : LitmusProgram
{
    private const int Increments = 100;

    private TinySpinLock _lock;
    private int _count;

    internal override void Prepare() => _count = 0;

    internal override void Run(int thread, Random random)
    {
        for (int i = 0; i < Increments; i++)
        {
            if (i % 2 == 0)
                _lock.Enter();
            else
                _lock.EnterAndReportContention();
            _count++;
            _lock.Exit();
        }
    }

    internal override bool IsForbidden() => _count != 2 * Increments;
}
