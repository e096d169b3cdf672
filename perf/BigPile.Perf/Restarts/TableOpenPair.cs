namespace BigPile.Perf.Restarts;

/// <summary>How a table came back where code had to be compiled first, and where it was.</summary>
internal sealed record TableOpenPair(TableOpenFigures NewProcess, TableOpenFigures SameProcess);
