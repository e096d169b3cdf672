namespace BigPile.Memory.Checking;

/// <summary>The crash points of the concurrency kit.</summary>
internal enum MemoryCrashPoint
{
    /// <summary>A transfer of memory is counted, and still under way.</summary>
    TransferHalfEnded,
}
