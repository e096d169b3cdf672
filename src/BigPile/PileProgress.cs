using System;

namespace BigPile;

/// <summary>How far a long call is.</summary>
/// <remarks>
/// <para>
/// The call itself reports, on the thread that runs it and one report at a time: what it reports to should return soon, and must not close
/// the pile. There are about a hundred reports at the most, however long the call is. A report is never behind the one before; the last
/// one has <see cref="Done"/> equal to <see cref="Total"/>, and comes when all work has ended. A call that fails or is stopped has none
/// such. <see cref="Progress{T}"/> posts its reports to other threads, where they may come in another order.
/// </para>
/// <para>Thread safety: immutable.</para>
/// </remarks>
/// <param name="Done">What is done, in units that the call names; from 0 to <paramref name="Total"/>.</param>
/// <param name="Total">What there was to do when the call began; 0 when that was nothing.</param>
public readonly record struct PileProgress(long Done, long Total)
{
    /// <summary>The share that is done, from 0 to 1; 1 when there was nothing to do.</summary>
    public double Fraction => Total == 0 ? 1 : (double)Done / Total;
}
