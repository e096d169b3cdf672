namespace BigPile.Ports.Waiting;

/// <summary>What one waits for; looking at it is cheap.</summary>
internal interface IAwaited
{
    /// <summary>Whether it has come.</summary>
    bool IsThere { get; }
}
