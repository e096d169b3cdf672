using System.Threading;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>A receiver of a multicast port, by the number of its record.</summary>
internal readonly struct MulticastMember(MulticastRecord multicast, int number) : IReceiverRecord
{
    public static bool IsMulticast => true;

    public PortRecord Port => multicast.Port;

    public ref long Cursor => ref multicast.Member(number).Cursor;

    public WakeEvent Data => multicast.Data;

    internal MulticastRecord Multicast => multicast;

    internal int Number => number;

    public void AnnounceWaiting(int slot) => Interlocked.Or(ref multicast.Watchers, 1UL << slot);
}
