using System;
using System.Collections.Concurrent;
using System.Threading;
using BigPile.Http.Security;

namespace BigPile.Server.Hosting;

/// <summary>
/// Which refusals have a line in the log: of each key, and of all that nobody known sent, a few at once and one a second, so that who
/// guesses neither fills the disk nor hides what others do.
/// </summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class RefusedLines(TimeProvider time)
{
    private const double PerSecond = 1;
    private const int AtOnce = 10;

    private readonly ConcurrentDictionary<string, Turn> _byKey = new(StringComparer.Ordinal);

    /// <summary>Counts a refusal.</summary>
    /// <param name="key">The name of a key that there is, or nothing.</param>
    /// <param name="unlogged">Those of the key that had no line since its last one.</param>
    /// <returns>Whether this one has a line.</returns>
    internal bool Take(string? key, out long unlogged)
    {
        Turn turn = _byKey.GetOrAdd(key ?? "", _ => new Turn(new RequestRate(PerSecond, AtOnce, time)));
        if (turn.Rate.TryTake(out _))
        {
            unlogged = Interlocked.Exchange(ref turn.Unlogged, 0);
            return true;
        }
        unlogged = Interlocked.Increment(ref turn.Unlogged);
        return false;
    }

    private sealed class Turn(RequestRate rate)
    {
        internal long Unlogged;

        internal RequestRate Rate => rate;
    }
}
