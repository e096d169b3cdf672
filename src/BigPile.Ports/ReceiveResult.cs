namespace BigPile.Ports;

/// <summary>The result of a receive.</summary>
public enum ReceiveResult
{
    /// <summary>There was no object yet.</summary>
    Nothing,

    /// <summary>An object was received.</summary>
    Received,

    /// <summary>The sender has closed the port, and all that it sent was received.</summary>
    Ended,
}
