namespace BigPile.Perf.Loads;

/// <summary>What it costs a mapped pile to be closed and opened again, in seconds.</summary>
/// <param name="FlushSeconds">Until all is durable.</param>
/// <param name="OpenSeconds">From the call that opens it to the first object.</param>
/// <param name="ReadBackSeconds">Getting everything in sequence after that.</param>
internal sealed record RestartFigures(double FlushSeconds, double OpenSeconds, double ReadBackSeconds);
