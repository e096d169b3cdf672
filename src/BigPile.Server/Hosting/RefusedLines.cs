using System;
using System.Collections.Concurrent;
using System.Threading;
using BigPile.Http.Security;

namespace BigPile.Server.Hosting;

/// <summary>
/// Limits the log lines of refused requests: a burst of ten and then one a second, for each key and for all unknown clients together. So a
/// client that guesses keys can't fill the disk or hide others' refusals.
/// </summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class RefusedLines(TimeProvider time)
{
    private const double PerSecond = 1;
    private const int AtOnce = 10;

    private readonly ConcurrentDictionary<string, Turn> _byKey = new(StringComparer.Ordinal);

    /// <summary>Counts a refusal.</summary>
    /// <param name="key">The name of a verified key; <see langword="null"/>: unknown.</param>
    /// <param name="unlogged">The key's refusals without a line since its last line.</param>
    /// <returns>Whether to log this one.</returns>
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
