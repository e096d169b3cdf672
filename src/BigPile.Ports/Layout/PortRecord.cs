using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>A port: its name, the two ends, the two wake events, followed by the ring of references.</summary>
/// <remarks>
/// Name, ends and the in-use flag change under the control lock. Each counter is on a cache line of its own, written by one side and read
/// by the other.
/// </remarks>
internal readonly unsafe struct PortRecord(byte* at) : IPortRecord<PortRecord>, IReceiverRecord
{
    internal const long Bytes = 448;
    internal const int MaxNameBytes = 48;
    private const int NameAt = 16;

    // Two names that are not valid text must not become the same bytes.
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>1 while the port is in use. Written under the control lock.</summary>
    internal ref int IsUsed => ref Unsafe.AsRef<int>(at);

    /// <summary>The ring's depth: a power of two. Written under the control lock.</summary>
    internal ref int Depth => ref Unsafe.AsRef<int>(at + 4);

    /// <summary>The length of the name in bytes. Written under the control lock.</summary>
    internal ref int NameBytes => ref Unsafe.AsRef<int>(at + 8);

    /// <summary>The number of the next object to send. Written by the sender only.</summary>
    internal ref long Tail => ref Unsafe.AsRef<long>(at + 64);

    // The sender's end. Written under the control lock.
    private ref int Sender => ref Unsafe.AsRef<int>(at + 72);

    /// <summary>The sender has released all objects before this number. Written by the sender only.</summary>
    internal ref long Reclaimed => ref Unsafe.AsRef<long>(at + 80);

    /// <summary>
    /// The number of the next object to receive. Advanced by the receiver, and by a sender that drops the oldest; set to the tail, under
    /// the control lock, when an end is closed or cleaned up. Interlocked.
    /// </summary>
    internal ref long Taken => ref Unsafe.AsRef<long>(at + 128);

    // The receiver's end. Written under the control lock.
    private ref int Receiver => ref Unsafe.AsRef<int>(at + 136);

    /// <summary>1 if the sender's process must also be woken by its waiter event. Written by the sender.</summary>
    internal ref int SenderWatches => ref Unsafe.AsRef<int>(at + 88);

    /// <summary>1 if the receiver's process must also be woken by its waiter event. Written by the receiver.</summary>
    internal ref int ReceiverWatches => ref Unsafe.AsRef<int>(at + 140);

    /// <summary>Wakes the receiver: there is something.</summary>
    public WakeEvent Data => new(at + 192);

    /// <summary>Wakes the sender: there is space.</summary>
    internal WakeEvent Space => new(at + 320);

    internal PortEnd SenderEnd => new(Volatile.Read(ref Sender));

    public PortEnd ReceiverEnd => new(Volatile.Read(ref Receiver));

    public static bool IsMulticast => false;

    public PortRecord Port => this;

    public bool HasReceiver => ReceiverEnd is { IsActive: true } or { Slot: >= 0 };

    public ulong WatchingSlots => Volatile.Read(ref ReceiverWatches) != 0 ? SlotsUpTo(0) : 0;

    public ref long Cursor => ref Taken;

    public static long CountIn(ArenaShape shape) => shape.Ports;

    public static PortRecord At(ArenaShape shape, byte* start, int number) => shape.Port(start, number);

    public long Slowest(long most, long floor) => Volatile.Read(ref Taken);

    public ulong SlotsUpTo(long number) => ReceiverEnd.Slot is >= 0 and int slot ? 1UL << slot : 0;

    public void Pass(long number, long next)
    {
        Debug.Assert(next == number + 1, "To a receiver that is behind one object at a time is lost.");
        Interlocked.CompareExchange(ref Taken, next, number);
    }

    public ulong CheckReceivers()
    {
        Invariant.True("Port with tail", Tail, "receiver with a slot while it is active", ReceiverEnd.IsActive == (ReceiverEnd.Slot >= 0));
        return SlotsUpTo(0);
    }

    public void AnnounceWaiting(int slot) => Interlocked.Exchange(ref ReceiverWatches, 1);

    /// <summary>The ring entry of a number.</summary>
    /// <param name="number">The number.</param>
    /// <param name="depth">The depth, as validated when the port was opened.</param>
    internal RingEntry Entry(long number, int depth)
    {
        Debug.Assert(depth >= 1 && BitOperations.IsPow2(depth), "A depth was validated before it becomes an offset.");
        return new RingEntry(at + Bytes + ((number & (depth - 1)) * RingEntry.Bytes), number);
    }

    /// <summary>Changes the sender's end. The caller holds the control lock, and has read the end before.</summary>
    internal void ChangeSenderEnd(PortEnd before, PortEnd after) => Change(ref Sender, before, after);

    /// <summary>Changes the receiver's end. The caller holds the control lock, and has read the end before.</summary>
    internal void ChangeReceiverEnd(PortEnd before, PortEnd after) => Change(ref Receiver, before, after);

    internal bool HasName(ReadOnlySpan<byte> name) =>
        NameBytes == name.Length && new ReadOnlySpan<byte>(at + NameAt, name.Length).SequenceEqual(name);

    /// <summary>Initializes the record; the in-use flag is stored last.</summary>
    /// <remarks>The counters continue: a sender that still holds objects of the previous port sees that they were received.</remarks>
    public void Begin(ReadOnlySpan<byte> name, int depth)
    {
        Debug.Assert(name.Length is > 0 and <= MaxNameBytes, "A name fits into its bytes, and before the counters.");
        Debug.Assert(depth >= 1 && BitOperations.IsPow2(depth), "The place of an entry is its number modulo a power of two.");
        name.CopyTo(new Span<byte>(at + NameAt, MaxNameBytes));
        NameBytes = name.Length;
        Depth = depth;
        Sender = Receiver = PortEnd.Never.Word;
        SenderWatches = ReceiverWatches = 0;
        Volatile.Write(ref Taken, Tail);
        Volatile.Write(ref IsUsed, 1);
    }

    /// <summary>The name as bytes.</summary>
    /// <exception cref="ArgumentException">The name is empty, too long, or not valid text.</exception>
    internal static byte[] NameOf(string name)
    {
        byte[] bytes = Strict.GetBytes(name);
        return bytes.Length is > 0 and <= MaxNameBytes
            ? bytes
            : throw new ArgumentException(
                $"The name of a port has 1 to {MaxNameBytes} bytes in UTF-8; '{name}' has {bytes.Length}.", nameof(name));
    }

    private static void Change(ref int word, PortEnd before, PortEnd after)
    {
        Debug.Assert(after.MayFollow(before), "An end that no process has is taken, then closed or lost, and last names no slot any more.");
        Volatile.Write(ref word, after.Word);
    }
}
