namespace BigPile.Ports;

/// <summary>Where a new receiver of a multicast port begins.</summary>
public enum MulticastStart
{
    /// <summary>At the next object that is sent.</summary>
    Next,

    /// <summary>
    /// At the oldest object that the sender still holds: what the slowest receiver has yet to receive, and perhaps some before it. The same
    /// as <see cref="Next"/> if there is no other receiver, or the sender is gone.
    /// </summary>
    Oldest,
}
