using System.IO;

namespace BigPile.Lifecycle;

/// <summary>What was wrong with a flush.</summary>
/// <param name="Reason">Why, without a path: for whoever may ask whether the pile is well.</param>
/// <param name="Details">The file, what it lacks, and the remedy.</param>
internal sealed record FlushTrouble(string Reason, string Details)
{
    internal static FlushTrouble Failed(PileStorageException failure) => new("The last flush failed.", failure.Message);

    internal static FlushTrouble WithoutLog(string directory, IOException refusal) => new(
        "The disk had no room for the log of the last flush.",
        $"A flush of the pile in '{directory}' wrote all segments through, and calls waited meanwhile, as there is no room for its log: "
        + $"{refusal.Message} All is durable. Make room on the disk.");
}
