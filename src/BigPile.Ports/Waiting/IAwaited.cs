namespace BigPile.Ports.Waiting;

/// <summary>A condition to wait for. Checking it is cheap.</summary>
internal interface IAwaited
{
    /// <summary>Whether it holds.</summary>
    bool IsThere { get; }
}
