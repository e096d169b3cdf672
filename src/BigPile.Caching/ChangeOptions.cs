namespace BigPile.Caching;

/// <summary>What a reader of changes wants.</summary>
/// <remarks>Thread safety: immutable.</remarks>
public sealed record ChangeOptions
{
    /// <summary>
    /// Whether puts come with their values: the one that was put, where the window has it (<see cref="TableOptions.FeedsValues"/>) or the
    /// entry is still there; else the put is superseded.
    /// </summary>
    public bool Values { get; init; }

    /// <summary>
    /// Whether only changes come that no power cut takes back: those up to the last flush. For mapped piles.
    /// </summary>
    public bool Durable { get; init; }

    /// <summary>
    /// Whether only entries that expired or were evicted come, without a walk; one whose key can't be read is left out, and logged.
    /// </summary>
    internal bool OnlyGone { get; init; }
}
