using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>A multicast port: the words and the ring of a port, and behind them a record for each receiver.</summary>
/// <remarks>
/// What a port counts as taken is here what all have received, or were passed at, as the sender has last found it: it keeps all from there
/// on. The end of the receiver is not used. Receivers come and go under the control lock, and none comes without a full fence.
/// </remarks>
internal readonly unsafe struct MulticastRecord(byte* at, long membersAt)
{
    internal const int MaxReceivers = 64; // the bits of a word

    /// <summary>The words that it has in common with a port of one receiver.</summary>
    internal PortRecord Port => new(at);

    /// <summary>For the receivers: there is something. The one that is woken wakes the next.</summary>
    internal WakeEvent Data => Port.Data.Relayed();

    /// <summary>A bit for each record whose receiver listens.</summary>
    internal ref ulong Members => ref Unsafe.AsRef<ulong>(at + 144);

    /// <summary>A bit for each slot whose process also waits by the bell of its slot.</summary>
    internal ref ulong Watchers => ref Unsafe.AsRef<ulong>(at + 152);

    internal MemberRecord Member(int number) => new(at + membersAt + (number * MemberRecord.Bytes));

    /// <summary>Makes a multicast port of it; that it is in use is stored last.</summary>
    internal void Begin(ReadOnlySpan<byte> name, int depth)
    {
        Members = Watchers = 0;
        for (int number = 0; number < MaxReceivers; number++)
        {
            MemberRecord member = Member(number);
            member.Slot = -1;
        }
        Port.Begin(name, depth);
    }

    /// <summary>The number that the slowest receiver is to receive next.</summary>
    /// <param name="most">What is said when there is none that is slower.</param>
    /// <param name="floor">No receiver is before it: one that is there is the slowest.</param>
    internal long Slowest(long most, long floor)
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

    /// <summary>Has all that are before a number go on elsewhere, unless they go on by themselves.</summary>
    /// <param name="number">The number.</param>
    /// <param name="next">Where they go on, or <see cref="MemberRecord.CutOff"/>.</param>
    internal void Pass(long number, long next)
    {
        for (ulong left = Volatile.Read(ref Members); left != 0; left &= left - 1)
        {
            ref long place = ref Member(BitOperations.TrailingZeroCount(left)).Cursor;
            long cursor = Volatile.Read(ref place);
            while (cursor >= 0 && cursor < number && Interlocked.CompareExchange(ref place, next, cursor) is var found && found != cursor)
                cursor = found;
        }
    }

    /// <summary>The processes of the receivers that are at a number or before it: a bit for each slot.</summary>
    internal ulong SlotsUpTo(long number)
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

    /// <summary>How many receivers there are that were not cut off.</summary>
    internal int CountListeners()
    {
        int listeners = 0;
        for (ulong left = Volatile.Read(ref Members); left != 0; left &= left - 1)
            listeners += Volatile.Read(ref Member(BitOperations.TrailingZeroCount(left)).Cursor) >= 0 ? 1 : 0;
        return listeners;
    }

    /// <summary>A record that no receiver has; -1 when there is none.</summary>
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
