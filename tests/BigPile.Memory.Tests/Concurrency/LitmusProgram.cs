using System;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>A small program of two threads that has a forbidden outcome.</summary>
internal abstract class LitmusProgram
{
    /// <summary>Makes the memory what it is at the beginning of a round. Called by thread 0, while thread 1 waits.</summary>
    internal abstract void Prepare();

    /// <summary>A thread's part. Called by both at the same time.</summary>
    /// <param name="thread">0 or 1.</param>
    /// <param name="random">The thread's own.</param>
    internal abstract void Run(int thread, Random random);

    /// <summary>Whether the outcome of the round is the forbidden one. Called by thread 0, when both have done their part.</summary>
    internal abstract bool IsForbidden();
}
