using System.Diagnostics;

namespace BigPile.Perf.Traffic;

/// <summary>The model's state of a key.</summary>
/// <param name="Sequence">Which of the key's values it has; 0 when there is no entry.</param>
/// <param name="Tag">Its entity tag; 0 when that is not known.</param>
/// <param name="ExpiresFrom">
/// The earliest instant at which it may expire, on the clock of <see cref="Stopwatch"/>; 0 when it does not expire.
/// </param>
/// <param name="ExpiresTo">The latest instant at which it may still be there.</param>
internal readonly record struct KeyState(uint Sequence, ulong Tag, long ExpiresFrom, long ExpiresTo)
{
    // The two processes read different clocks, one of which the system may adjust slightly meanwhile.
    private static readonly long Tolerance = Stopwatch.Frequency / 20;

    internal bool Expires => ExpiresFrom != 0;

    /// <summary>Whether the entry was there for a request that was sent and answered at known instants.</summary>
    internal Liveness LivenessAt(long sent, long answered)
    {
        if (Sequence == 0)
            return Liveness.Gone;
        if (!Expires || answered + Tolerance < ExpiresFrom)
            return Liveness.There;
        return sent - Tolerance > ExpiresTo ? Liveness.Gone : Liveness.Either;
    }

    /// <summary>A value that was put by a request that was sent and answered at known instants.</summary>
    internal static KeyState Put(uint sequence, ulong tag, int lifetimeMs, long sent, long answered)
    {
        long lifetime = lifetimeMs * Stopwatch.Frequency / 1000;
        return lifetimeMs == 0 ? new KeyState(sequence, tag, 0, 0) : new KeyState(sequence, tag, sent + lifetime, answered + lifetime);
    }
}

/// <summary>Whether an entry exists, as far as the model can know.</summary>
internal enum Liveness
{
    Gone,
    There,
    Either, // both are right: it expired about when the request ran
}
