namespace BigPile.Perf.Messages;

/// <summary>By what messages go.</summary>
internal enum MessageWay
{
    /// <summary>Ports that spin and do not sleep.</summary>
    PortSpin,

    /// <summary>Ports as they are by default.</summary>
    PortDefault,

    /// <summary>Ports that sleep at once.</summary>
    PortSleep,

    Tcp,

    Udp,

    /// <summary>A stream socket of the machine's own.</summary>
    Unix,

    /// <summary>A pipe there, and one back.</summary>
    Pipe,
}
