namespace BigPile.Ports;

/// <summary>What a sender to many does when a receiver is behind by the whole depth of the port.</summary>
public enum SlowReceiverPolicy
{
    /// <summary>
    /// That receiver loses what has waited longest, and is told how much: a sixteenth of the depth at once, one object at least. The
    /// others lose nothing.
    /// </summary>
    DropOldest,

    /// <summary>Wait for it, and with it let all others wait.</summary>
    Wait,

    /// <summary>Throw a <see cref="PortFullException"/>: nobody gets the object.</summary>
    Fail,

    /// <summary>That receiver gets nothing any more, but a <see cref="SlowReceiverException"/>. The others lose nothing.</summary>
    Disconnect,
}
