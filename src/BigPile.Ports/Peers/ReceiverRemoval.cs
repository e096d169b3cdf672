using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Peers;

/// <summary>How receivers of a multicast port go: under the control lock, while the sender goes on.</summary>
/// <remarks>
/// The bit goes first, so each record whose bit is set names a process; the record of one that dies in between is found by the name.
/// </remarks>
internal static class ReceiverRemoval
{
    /// <summary>Gives one record back.</summary>
    internal static void RemoveLocked(MulticastRecord port, int number, PortTestHooks hooks)
    {
        MemberRecord member = port.Member(number);
        Interlocked.And(ref port.Members, ~(1UL << number));
        hooks.Pass(PortCrashPoint.MemberRemoved);
        member.Slot = -1;
    }

    /// <summary>Gives all records of a process back.</summary>
    /// <returns>Whether it had one.</returns>
    internal static bool RemoveAllOfLocked(MulticastRecord port, int slot, PortTestHooks hooks)
    {
        bool hadOne = false;
        for (int number = 0; number < MulticastRecord.MaxReceivers; number++)
        {
            if (port.Member(number).Slot != slot)
                continue;
            RemoveLocked(port, number, hooks);
            hadOne = true;
        }
        Interlocked.And(ref port.Watchers, ~(1UL << slot));
        return hadOne;
    }
}
