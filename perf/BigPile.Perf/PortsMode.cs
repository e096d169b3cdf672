namespace BigPile.Perf;

/// <summary>How messages go in the ports load.</summary>
internal enum PortsMode
{
    /// <summary>One there and the same back, and then the next.</summary>
    RoundTrip,

    /// <summary>One after the other, as fast as they are taken.</summary>
    Stream,

    /// <summary>Each to all receivers.</summary>
    Multicast,
}
