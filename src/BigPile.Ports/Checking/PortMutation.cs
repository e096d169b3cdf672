using System;

namespace BigPile.Ports.Checking;

/// <summary>Wrong orders, as controls of tests: with one of them, the tests must fail.</summary>
[Flags]
internal enum PortMutation
{
    /// <summary>All is as it should be.</summary>
    None = 0,

    /// <summary>The receiver takes an object out of the ring before it holds it.</summary>
    HoldsAfterTaking = 1,

    /// <summary>The cleaner frees what the dead had sent and nobody has received.</summary>
    FreesInFlight = 2,

    /// <summary>A process that is gone is not cleaned up after.</summary>
    LeavesTheDead = 4,

    /// <summary>A receiver among many does not look again how far the sender is, once it has said that it listens.</summary>
    JoinsWithoutRecheck = 8,

    /// <summary>A sender to many gives back without a look at who has come meanwhile.</summary>
    ReclaimsWithoutRecheck = 16,
}
