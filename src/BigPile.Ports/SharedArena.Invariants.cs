using BigPile.Ports.Peers;

namespace BigPile.Ports;

/// <content>What tests check.</content>
public sealed partial class SharedArena
{
    /// <summary>
    /// Checks the shared structures, and those of this process against them, for tests. No process may be inside a call meanwhile.
    /// </summary>
    internal void CheckInvariants()
    {
        lock (_lock)
        {
            _allocator.CheckInvariantsLocked();
            _refCounts.CheckInvariants();
            _ends.CheckInvariantsLocked();
            using ArenaLocks.Control control = _peers.Locks.EnterControl();
            ulong holders = _objects.CheckInvariants();
            (ulong ends, ulong senders) = _ports.CheckInvariantsLocked();
            (ulong endsOfMany, ulong sendersToMany) = _multicasts.CheckInvariantsLocked();
            _peers.CheckInvariantsLocked(holders, ends | endsOfMany, senders | sendersToMany);
        }
    }
}
