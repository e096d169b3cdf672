using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>One receiver of a multicast port: its position and its process. On a cache line of its own.</summary>
/// <remarks>
/// The slot changes under the control lock, and so does the cursor while the receiver joins. Then the receiver advances the cursor, and so
/// does a sender that passes it; both by compare-and-swap.
/// </remarks>
internal readonly unsafe struct MemberRecord(byte* at)
{
    internal const long Bytes = 64;

    /// <summary>The cursor of a receiver that was cut off.</summary>
    internal const long CutOff = -1;

    /// <summary>The number of the next object to receive, or <see cref="CutOff"/>.</summary>
    internal ref long Cursor => ref Unsafe.AsRef<long>(at);

    /// <summary>The slot of its process; -1 for none, and for invalid values.</summary>
    internal int Slot
    {
        get => Volatile.Read(ref SlotWord) is > 0 and <= ArenaShape.Processes and int slot ? slot - 1 : -1;
        set
        {
            Debug.Assert(value is >= -1 and < ArenaShape.Processes, "A record names a slot of the arena, or none.");
            Volatile.Write(ref SlotWord, value + 1);
        }
    }

    private ref int SlotWord => ref Unsafe.AsRef<int>(at + sizeof(long));
}

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
