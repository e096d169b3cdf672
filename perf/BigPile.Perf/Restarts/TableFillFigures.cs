namespace BigPile.Perf.Restarts;

/// <summary>What the process that filled a table tells of it.</summary>
internal sealed record TableFillFigures(long ReservedBytes, double FillSeconds, double CloseSeconds);
