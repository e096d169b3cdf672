namespace BigPile.Perf;

/// <summary>How messages go in the ports load.</summary>
internal enum PortsMode
{
    /// <summary>A message there and back, then the next one.</summary>
    RoundTrip,

    /// <summary>One message after the other, as fast as they are received.</summary>
    Stream,

    /// <summary>Each to all receivers.</summary>
    Multicast,
}
