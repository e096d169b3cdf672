namespace BigPile.Perf.Restarts;

/// <summary>What the process that filled the pile tells of it.</summary>
internal sealed record FillFigures(
    ulong MiddlePointer, long ReservedBytes, double FillSeconds, double FlushSeconds, double ScatteredFlushMs,
    long? ScatteredFlushBytes);
