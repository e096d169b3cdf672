namespace BigPile.Ports;

/// <summary>With what a receiver begins that comes to a multicast port.</summary>
public enum MulticastStart
{
    /// <summary>With the next object that is sent.</summary>
    Next,

    /// <summary>
    /// With the oldest that the sender still keeps: what the slowest of the others has still to receive, and perhaps some before it. As
    /// <see cref="Next"/> where there is no other receiver, or the sender is gone.
    /// </summary>
    Oldest,
}
