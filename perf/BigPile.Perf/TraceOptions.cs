namespace BigPile.Perf;

/// <summary>What the trace load is asked to do.</summary>
/// <param name="File">The keys.</param>
/// <param name="Capacity">The most entries; or</param>
/// <param name="CapacityFraction">the share of the different keys.</param>
internal sealed record TraceOptions(string File, int? Capacity, double? CapacityFraction);
