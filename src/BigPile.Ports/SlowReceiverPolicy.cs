namespace BigPile.Ports;

/// <summary>What a multicast sender does if a receiver is behind by the whole depth of the port.</summary>
public enum SlowReceiverPolicy
{
    /// <summary>
    /// That receiver misses the oldest objects, a sixteenth of the depth but at least one, and learns how many. The others miss nothing.
    /// </summary>
    DropOldest,

    /// <summary>Wait for that receiver, which delays all others.</summary>
    Wait,

    /// <summary>Throw a <see cref="PortFullException"/>: no receiver gets the object.</summary>
    Fail,

    /// <summary>That receiver gets only a <see cref="SlowReceiverException"/> from then on. The others miss nothing.</summary>
    Disconnect,
}
