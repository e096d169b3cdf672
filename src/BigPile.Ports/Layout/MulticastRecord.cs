using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>A multicast port: the words and the ring of a port, followed by the receiver records.</summary>
/// <remarks>
/// <see cref="PortRecord.Taken"/> is the floor here: the number up to which all receivers have received or were passed, as the sender last
/// found. It keeps all objects from there on. The receiving end is not used. Receivers join and leave under the control lock, and each join
/// issues a full fence.
/// </remarks>
internal readonly unsafe struct MulticastRecord(byte* at, long membersAt) : IPortRecord<MulticastRecord>
{
    internal const int MaxReceivers = 64; // the bits of a word

    public static bool IsMulticast => true;

    public PortRecord Port => new(at);

    public PortEnd ReceiverEnd => PortEnd.Never;

    public bool HasReceiver => Volatile.Read(ref Members) != 0;

    public ulong WatchingSlots => Volatile.Read(ref Watchers);

    /// <summary>Wakes receivers: there is something. Each one that wakes up wakes the next.</summary>
    public WakeEvent Data => Port.Data.Relayed();

    /// <summary>A bit for each record whose receiver has joined. Written under the control lock; interlocked.</summary>
    internal ref ulong Members => ref Unsafe.AsRef<ulong>(at + 144);

    /// <summary>A bit for each slot whose process must also be woken by its waiter event. Interlocked.</summary>
    internal ref ulong Watchers => ref Unsafe.AsRef<ulong>(at + 152);

    public static long CountIn(ArenaShape shape) => shape.MulticastPorts;

    public static MulticastRecord At(ArenaShape shape, byte* start, int number) => shape.Multicast(start, number);

    internal MemberRecord Member(int number)
    {
        Debug.Assert(number is >= 0 and < MaxReceivers, "Each receiver has a bit of the members.");
        return new MemberRecord(at + membersAt + (number * MemberRecord.Bytes));
    }

    public ulong CheckReceivers()
    {
        const string Structure = "Member";
        Invariant.Equal(Structure, 0, "end of a single receiver", Port.ReceiverEnd, PortEnd.Never);
        for (ulong left = Volatile.Read(ref Members); left != 0; left &= left - 1)
        {
            int number = BitOperations.TrailingZeroCount(left);
            Invariant.Between(Structure, number, "slot", Member(number).Slot, 0, ArenaShape.Processes - 1);
            if (Volatile.Read(ref Member(number).Cursor) is var cursor && cursor != MemberRecord.CutOff)
                Invariant.Between(Structure, number, "cursor", cursor, Volatile.Read(ref Port.Taken), Volatile.Read(ref Port.Tail));
        }
        return SlotsUpTo(long.MaxValue);
    }

    public void Begin(ReadOnlySpan<byte> name, int depth)
    {
        Members = Watchers = 0;
        for (int number = 0; number < MaxReceivers; number++)
        {
            MemberRecord member = Member(number);
            member.Slot = -1;
        }
        Port.Begin(name, depth);
    }

    public long Slowest(long most, long floor)
    {
        long slowest = most;
        for (ulong left = Volatile.Read(ref Members); left != 0; left &= left - 1)
        {
            long cursor = Volatile.Read(ref Member(BitOperations.TrailingZeroCount(left)).Cursor);
            if (cursor < 0 || cursor >= slowest)
                continue;
            slowest = cursor;
            if (cursor <= floor)
                return floor;
        }
        return slowest;
    }

    public void Pass(long number, long next)
    {
        Debug.Assert(next == MemberRecord.CutOff || next > number, "A receiver moves forwards: what it has received is released.");
        for (ulong left = Volatile.Read(ref Members); left != 0; left &= left - 1)
        {
            ref long place = ref Member(BitOperations.TrailingZeroCount(left)).Cursor;
            long cursor = Volatile.Read(ref place);
            while (cursor >= 0 && cursor <= number && Interlocked.CompareExchange(ref place, next, cursor) is var found && found != cursor)
                cursor = found;
        }
    }

    public ulong SlotsUpTo(long number)
    {
        ulong slots = 0;
        for (ulong left = Volatile.Read(ref Members); left != 0; left &= left - 1)
        {
            MemberRecord member = Member(BitOperations.TrailingZeroCount(left));
            if (member.Slot is >= 0 and int slot && Volatile.Read(ref member.Cursor) <= number)
                slots |= 1UL << slot;
        }
        return slots;
    }

    /// <summary>The number of receivers that were not cut off.</summary>
    internal int CountListeners()
    {
        int listeners = 0;
        for (ulong left = Volatile.Read(ref Members); left != 0; left &= left - 1)
            listeners += Volatile.Read(ref Member(BitOperations.TrailingZeroCount(left)).Cursor) >= 0 ? 1 : 0;
        return listeners;
    }

    /// <summary>The number of a free record; -1 if there is none.</summary>
    internal int FindFree()
    {
        ulong members = Volatile.Read(ref Members);
        for (int number = 0; number < MaxReceivers; number++)
        {
            if ((members & (1UL << number)) == 0 && Member(number).Slot < 0)
                return number;
        }
        return -1;
    }
}
