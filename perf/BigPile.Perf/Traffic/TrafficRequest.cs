namespace BigPile.Perf.Traffic;

/// <summary>A request that was sent.</summary>
/// <param name="Kind">What it asks for.</param>
/// <param name="First">Where its keys begin in the list of the batch.</param>
/// <param name="Count">How many they are.</param>
/// <param name="LifetimeMs">How long what it writes lives; 0: without an end.</param>
/// <param name="Tag">The entity tag that it names; 0: none.</param>
internal readonly record struct TrafficRequest(TrafficKind Kind, int First, int Count, int LifetimeMs, ulong Tag)
{
    internal bool IsChange => Kind is TrafficKind.Write or TrafficKind.WriteForTime or TrafficKind.Delete or TrafficKind.WriteMany;

    internal bool HasBody => Kind != TrafficKind.ReadHead;
}
