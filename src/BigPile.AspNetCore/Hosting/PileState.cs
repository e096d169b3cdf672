namespace BigPile.AspNetCore.Hosting;

/// <summary>What a web application's pile is doing.</summary>
internal enum PileState
{
    Opening,
    Preparing,
    Ready,
    Failed,
    Closed,
}
