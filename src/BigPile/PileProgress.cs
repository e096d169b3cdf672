using System;

namespace BigPile;

/// <summary>The progress of a long call.</summary>
/// <remarks>
/// <para>
/// The call itself reports, on the thread that runs it and one report at a time: the receiver should return soon, and must not close the
/// pile. There are at most about a hundred reports. Progress never falls; the last report has <see cref="Done"/> equal to
/// <see cref="Total"/>, and comes when all work has ended. A call that fails or is stopped does not send it.
/// <see cref="Progress{T}"/> posts its reports to other threads, where they may arrive in another order.
/// </para>
/// <para>Thread safety: immutable.</para>
/// </remarks>
/// <param name="Done">What is done, in units that the call documents; from 0 to <paramref name="Total"/>.</param>
/// <param name="Total">The amount of work when the call began; 0 if there was none.</param>
public readonly record struct PileProgress(long Done, long Total)
{
    /// <summary>The share that is done, from 0 to 1; 1 if there was nothing to do.</summary>
    public double Fraction => Total == 0 ? 1 : (double)Done / Total;
}
