namespace BigPile.Ports;

/// <summary>What came of receiving.</summary>
public enum ReceiveResult
{
    /// <summary>There was nothing, so far.</summary>
    Nothing,

    /// <summary>An object.</summary>
    Received,

    /// <summary>The sender has closed the port, and all that it sent was received.</summary>
    Ended,
}
