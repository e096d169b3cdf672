namespace BigPile.Ports.Layout;

/// <summary>The state of a slot. Only the lock of its byte tells whether the process lives.</summary>
internal static class SlotState
{
    /// <summary>No process has it, and no object has its bit.</summary>
    internal const int Free = 0;

    /// <summary>A process has it, or had it and died.</summary>
    internal const int Active = 1;

    /// <summary>Its process is gone; objects that it sent are still to be received.</summary>
    internal const int Abandoned = 2;

    /// <summary>Whether a state may follow another one, for assertions and tests. Anything may follow what no process has stored.</summary>
    internal static bool MayBecome(int before, int after) => before switch
    {
        Free => after == Active,
        Active or Abandoned => after is Free or Abandoned,
        _ => true,
    };
}
