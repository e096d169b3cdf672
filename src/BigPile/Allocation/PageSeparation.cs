using System.Threading;

namespace BigPile.Allocation;

/// <summary>Whether blocks that stay have groups of pages of their own. Thread safety: all members may be called concurrently.</summary>
internal sealed class PageSeparation
{
    private const int MostMixedTakes = 16; // until a page is searched again for a block that stays

    private bool _hasBegun; // any thread writes
    private int _mixedTakes; // that are left of those allowed; interlocked

    /// <summary>Off while none may be evicted; and for a while when no page could be cleared for one that stays.</summary>
    internal bool IsOn => Volatile.Read(ref _hasBegun) && Volatile.Read(ref _mixedTakes) <= 0;

    /// <summary>Has blocks that stay have groups of pages of their own from now on.</summary>
    internal void Begin()
    {
        Volatile.Write(ref _mixedTakes, 0);
        Volatile.Write(ref _hasBegun, true);
    }

    /// <summary>Lets blocks that stay take the space of others for a while, as no page could be cleared for one.</summary>
    /// <returns><see langword="false"/> when they may already.</returns>
    internal bool TryMix()
    {
        bool mixes = IsOn;
        if (mixes)
            Volatile.Write(ref _mixedTakes, MostMixedTakes);
        return mixes;
    }

    /// <summary>Counts what a block took where the current page of its kind was full.</summary>
    internal void CountMixedTake()
    {
        if (Volatile.Read(ref _mixedTakes) > 0)
            Interlocked.Decrement(ref _mixedTakes);
    }

    /// <summary>For which blocks a page is taken.</summary>
    internal PageUse UseFor(bool isEvictable) => !IsOn ? PageUse.Any : isEvictable ? PageUse.Evictable : PageUse.Lasting;
}
