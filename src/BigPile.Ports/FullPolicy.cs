namespace BigPile.Ports;

/// <summary>What a sender does if its port is full.</summary>
public enum FullPolicy
{
    /// <summary>Wait until the receiver has taken something.</summary>
    Wait,

    /// <summary>Drop the oldest object.</summary>
    DropOldest,

    /// <summary>Throw a <see cref="PortFullException"/>.</summary>
    Fail,
}
