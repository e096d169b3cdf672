using BigPile.Memory.Checking;

namespace BigPile.Ports.Checking;

/// <summary>Mistakes that tests plant, and must detect. Elsewhere each is false, and the compiler drops its branch.</summary>
internal static class PortMutation
{
    /// <summary>The receiver takes an object out of the ring before it holds it.</summary>
    internal static bool HoldsAfterTaking => Mutations.IsPlanted("holds-after-taking");

    /// <summary>The cleaner frees the objects that a dead process has in flight.</summary>
    internal static bool FreesInFlight => Mutations.IsPlanted("frees-in-flight");

    /// <summary>Dead processes are not cleaned up.</summary>
    internal static bool LeavesTheDead => Mutations.IsPlanted("leaves-the-dead");

    /// <summary>A joining receiver does not read the start again after it has set its bit.</summary>
    internal static bool JoinsWithoutRecheck => Mutations.IsPlanted("joins-without-recheck");

    /// <summary>A multicast sender releases objects without scanning the receivers again.</summary>
    internal static bool ReclaimsWithoutRecheck => Mutations.IsPlanted("reclaims-without-recheck");
}
