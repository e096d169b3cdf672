using System.IO;

namespace BigPile.Lifecycle;

/// <summary>A problem of the last flush.</summary>
/// <param name="Reason">The reason without a path, for unprivileged callers.</param>
/// <param name="Details">The file, the cause, and the remedy.</param>
internal sealed record FlushTrouble(string Reason, string Details)
{
    internal static FlushTrouble Failed(PileStorageException failure) => new("The last flush failed.", failure.Message);

    internal static FlushTrouble WithoutLog(string directory, IOException refusal) => new(
        "The disk had no space for the log of the last flush.",
        $"A flush of the pile in '{directory}' synced all segments while writers waited, as the disk has no space for its log: "
        + $"{refusal.Message} All is durable. Free some disk space.");
}
