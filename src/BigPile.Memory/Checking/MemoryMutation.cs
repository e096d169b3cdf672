namespace BigPile.Memory.Checking;

/// <summary>Mistakes in the concurrency kit that its litmus tests must detect.</summary>
internal static class MemoryMutation
{
    /// <summary>Wait for quiescence without the barrier that makes entries visible.</summary>
    internal static bool NoProcessWideBarrier => Mutations.IsPlanted("no-process-wide-barrier");

    /// <summary>Do not make the sequence odd before a change.</summary>
    internal static bool SequenceStaysEven => Mutations.IsPlanted("sequence-stays-even");

    /// <summary>Trust a read without comparing the sequence after it.</summary>
    internal static bool SequenceNotCompared => Mutations.IsPlanted("sequence-not-compared");

    /// <summary>Take a spin lock with a load and a store instead of one atomic operation.</summary>
    internal static bool LockNotAtomic => Mutations.IsPlanted("lock-not-atomic");

    /// <summary>End a transfer before it is counted.</summary>
    internal static bool TransferCountedLate => Mutations.IsPlanted("transfer-counted-late");
}
