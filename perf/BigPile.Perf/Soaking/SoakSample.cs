namespace BigPile.Perf.Soaking;

/// <summary>What the soak looked like at an instant.</summary>
/// <param name="Seconds">Since the pile was full.</param>
/// <param name="Operations">Of all workers since then.</param>
/// <param name="Pile">The pile's figures.</param>
/// <param name="Memory">The process's.</param>
/// <param name="ManagedBytes">The managed heap, garbage included.</param>
internal sealed record SoakSample(double Seconds, long Operations, PileStatistics Pile, ProcessMemory Memory, long ManagedBytes)
{
    internal long LiveBytes => Pile.PayloadBytes;
}
