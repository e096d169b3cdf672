namespace BigPile.Perf.Policies;

/// <summary>What each key takes of a capacity.</summary>
/// <param name="weights">By key, each from 1; <see langword="null"/> when each takes 1.</param>
internal readonly struct KeyWeights(long[]? weights)
{
    /// <summary>Each key takes 1: the capacity is a number of keys.</summary>
    internal static KeyWeights Equal => default;

    /// <summary>The weight of a key.</summary>
    internal long Of(int key) => weights == null ? 1 : weights[key];
}
