using System.Threading;

namespace BigPile.Http.Limits;

/// <summary>Counts the requests that run, on whichever way they are served, and lets no more in at once than its limit.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
/// <param name="limit">The most requests at once.</param>
internal sealed class RequestLoad(int limit)
{
    private int _running;

    internal int Limit => limit;

    /// <summary>Those that run.</summary>
    internal int Running => Volatile.Read(ref _running);

    /// <summary>Lets a request in; <see cref="Leave"/> is called when it is over.</summary>
    /// <returns><see langword="false"/> when there are as many as may be.</returns>
    internal bool TryEnter()
    {
        if (Interlocked.Increment(ref _running) <= limit)
            return true;
        Leave();
        return false;
    }

    internal void Leave() => Interlocked.Decrement(ref _running);
}
