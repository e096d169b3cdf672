namespace BigPile.Ports;

/// <summary>What a sender does whose port is full.</summary>
public enum FullPolicy
{
    /// <summary>Wait until the receiver has taken something.</summary>
    Wait,

    /// <summary>Drop what has waited longest.</summary>
    DropOldest,

    /// <summary>Throw a <see cref="PortFullException"/>.</summary>
    Fail,
}
