using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Peers;

/// <summary>Removes receivers of a multicast port: under the control lock, while the sender goes on.</summary>
/// <remarks>
/// The bit is cleared first, so each record whose bit is set names a process. If the process dies in between, its record is found by the
/// slot.
/// </remarks>
internal static class ReceiverRemoval
{
    /// <summary>Removes one receiver.</summary>
    internal static void RemoveLocked(MulticastRecord port, int number)
    {
        MemberRecord member = port.Member(number);
        Interlocked.And(ref port.Members, ~(1UL << number));
        CrashPoints.Pass(PortCrashPoint.MemberRemoved);
        member.Slot = -1;
    }

    /// <summary>Removes all receivers of a process.</summary>
    /// <returns>Whether there was one.</returns>
    internal static bool RemoveAllOfLocked(MulticastRecord port, int slot)
    {
        bool hadOne = false;
        for (int number = 0; number < MulticastRecord.MaxReceivers; number++)
        {
            if (port.Member(number).Slot != slot)
                continue;
            RemoveLocked(port, number);
            hadOne = true;
        }
        Interlocked.And(ref port.Watchers, ~(1UL << slot));
        return hadOne;
    }
}
