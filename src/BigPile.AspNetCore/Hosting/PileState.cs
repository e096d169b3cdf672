namespace BigPile.AspNetCore.Hosting;

/// <summary>The state of a host's pile.</summary>
internal enum PileState
{
    Opening,
    Preparing,
    Ready,
    Failed,
    Closed,
}
