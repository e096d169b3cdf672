namespace BigPile.Ports.Layout;

/// <summary>What becomes of a process's slot. Whether the process lives is said by its lock alone.</summary>
internal static class SlotState
{
    /// <summary>Nobody has it, and no object has its bit.</summary>
    internal const int Free = 0;

    /// <summary>A process has it, or had it and died.</summary>
    internal const int Active = 1;

    /// <summary>Its process is gone; what that had sent waits to be received.</summary>
    internal const int Abandoned = 2;
}
