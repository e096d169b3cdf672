namespace BigPile.Perf.Runs;

/// <summary>What the standard set of loads is told.</summary>
/// <param name="IsQuick">Whether a first look is enough: smaller loads and fewer repeats.</param>
/// <param name="Directory">Where the report goes.</param>
internal sealed record ReportOptions(bool IsQuick, string Directory);
