using System;

namespace BigPile.Ports.Checking;

/// <summary>Mistakes that tests plant, and must detect.</summary>
[Flags]
internal enum PortMutation
{
    /// <summary>No mistake.</summary>
    None = 0,

    /// <summary>The receiver takes an object out of the ring before it holds it.</summary>
    HoldsAfterTaking = 1,

    /// <summary>The cleaner frees the objects that a dead process has in flight.</summary>
    FreesInFlight = 2,

    /// <summary>Dead processes are not cleaned up.</summary>
    LeavesTheDead = 4,

    /// <summary>A joining receiver does not read the start again after it has set its bit.</summary>
    JoinsWithoutRecheck = 8,

    /// <summary>A multicast sender releases objects without scanning the receivers again.</summary>
    ReclaimsWithoutRecheck = 16,
}
