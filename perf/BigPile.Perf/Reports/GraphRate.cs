namespace BigPile.Perf.Reports;

/// <summary>How fast all packages were counted in one way.</summary>
/// <param name="Graph">pile or plain.</param>
/// <param name="Direction">dependencies or dependents.</param>
/// <param name="Threads">The threads that shared the packages.</param>
/// <param name="EdgesWalked">The edges of all walks; each was followed by reading the package at its end.</param>
/// <param name="Seconds">How long it took.</param>
/// <param name="EdgesPerSecond">The one by the other.</param>
internal sealed record GraphRate(string Graph, string Direction, int Threads, long EdgesWalked, double Seconds, double EdgesPerSecond)
{
    internal const string Pile = "pile";
    internal const string Plain = "plain";
    internal const string Dependencies = "dependencies";
    internal const string Dependents = "dependents";
}
