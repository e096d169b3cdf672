using System.Threading;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Two threads wait for each other by spinning, so that both go on within some nanoseconds.</summary>
internal sealed class SpinBarrier
{
    private const int SpinsBeforeYield = 65_536; // tens of microseconds: the other one may need the processor

    private readonly Arrivals[] _arrivals = [new(), new()];
    private volatile bool _isBroken;

    /// <summary>How often a thread has given its processor away, as the other one did not come.</summary>
    internal int Yields => _arrivals[0].Yields + _arrivals[1].Yields;

    /// <summary>Waits for the other thread; <see langword="false"/> if it has failed.</summary>
    internal bool Wait(int thread)
    {
        Arrivals own = _arrivals[thread];
        Arrivals other = _arrivals[1 - thread];
        Volatile.Write(ref own.Count, own.Count + 1);
        for (int spins = 1; Volatile.Read(ref other.Count) - own.Count < 0; spins++)
        {
            if (spins % SpinsBeforeYield != 0)
                continue;
            if (_isBroken)
                return false;
            own.Yields++;
            Thread.Yield();
        }
        return true;
    }

    /// <summary>Lets the other thread go: this one has failed.</summary>
    internal void Break() => _isBroken = true;

    private sealed class Arrivals : CacheLineIsolated
    {
        internal int Count; // wraps around
        internal int Yields; // before the count of the next arrival
    }
}
