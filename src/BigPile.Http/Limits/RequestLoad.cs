using System.Threading;

namespace BigPile.Http.Limits;

/// <summary>Counts running requests, of the full stack and the fast path, and limits them.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
/// <param name="limit">The maximum number of concurrent requests.</param>
internal sealed class RequestLoad(int limit)
{
    private int _running;

    internal int Limit => limit;

    internal int Running => Volatile.Read(ref _running);

    /// <summary>Admits a request; call <see cref="Leave"/> when it is over.</summary>
    /// <returns><see langword="false"/> at the limit.</returns>
    internal bool TryEnter()
    {
        if (Interlocked.Increment(ref _running) <= limit)
            return true;
        Leave();
        return false;
    }

    internal void Leave() => Interlocked.Decrement(ref _running);
}
