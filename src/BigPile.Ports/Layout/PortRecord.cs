using System;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>A port: its name, the two ends, the two doorbells, and behind it the ring of references.</summary>
/// <remarks>
/// Names, ends and whether it is in use change under the control lock. Each of the counters has a line of its own, which the one side
/// writes and the other one reads.
/// </remarks>
internal readonly unsafe struct PortRecord(byte* at)
{
    internal const long Bytes = 448;
    internal const int MaxNameBytes = 48;
    private const int NameAt = 16;

    // Two names that are no text must not become the same one.
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>1 while the port is in use.</summary>
    internal ref int IsUsed => ref Unsafe.AsRef<int>(at);

    /// <summary>How many objects may be on the way: a power of two.</summary>
    internal ref int Depth => ref Unsafe.AsRef<int>(at + 4);

    /// <summary>The number of the next object to be sent. Only the sender writes it.</summary>
    internal ref long Tail => ref Unsafe.AsRef<long>(at + 64);

    /// <summary>The sender's <see cref="PortEnd"/>.</summary>
    internal ref int Sender => ref Unsafe.AsRef<int>(at + 72);

    /// <summary>Up to which number the sender has given back what was received.</summary>
    internal ref long Reclaimed => ref Unsafe.AsRef<long>(at + 80);

    /// <summary>The number of the next object to be received. The receiver changes it, and a sender that drops the oldest.</summary>
    internal ref long Taken => ref Unsafe.AsRef<long>(at + 128);

    /// <summary>The receiver's <see cref="PortEnd"/>.</summary>
    internal ref int Receiver => ref Unsafe.AsRef<int>(at + 136);

    /// <summary>1 when the sender's process also waits for room by the bell of its slot.</summary>
    internal ref int SenderWatches => ref Unsafe.AsRef<int>(at + 88);

    /// <summary>1 when the receiver's process also waits for something by the bell of its slot.</summary>
    internal ref int ReceiverWatches => ref Unsafe.AsRef<int>(at + 140);

    /// <summary>For the receiver: there is something.</summary>
    internal WakeEvent Data => new(at + 192);

    /// <summary>For the sender: there is room.</summary>
    internal WakeEvent Space => new(at + 320);

    internal PortEnd SenderEnd
    {
        get => new(Volatile.Read(ref Sender));
        set => Volatile.Write(ref Sender, value.Word);
    }

    internal PortEnd ReceiverEnd
    {
        get => new(Volatile.Read(ref Receiver));
        set => Volatile.Write(ref Receiver, value.Word);
    }

    private ref int NameBytes => ref Unsafe.AsRef<int>(at + 8);

    /// <summary>Where in the ring the object of a number is.</summary>
    /// <param name="number">The number.</param>
    /// <param name="depth">The depth, as it was checked when the port was opened.</param>
    internal RingEntry Entry(long number, int depth) => new(at + Bytes + ((number & (depth - 1)) * RingEntry.Bytes), number);

    internal bool HasName(ReadOnlySpan<byte> name) =>
        NameBytes == name.Length && new ReadOnlySpan<byte>(at + NameAt, name.Length).SequenceEqual(name);

    /// <summary>Makes a port of it; that it is in use is stored last.</summary>
    /// <remarks>The counters go on from where they were: who still backs what the port before was sent sees that it is received.</remarks>
    internal void Begin(ReadOnlySpan<byte> name, int depth)
    {
        name.CopyTo(new Span<byte>(at + NameAt, MaxNameBytes));
        NameBytes = name.Length;
        Depth = depth;
        SenderEnd = ReceiverEnd = PortEnd.Never;
        SenderWatches = ReceiverWatches = 0;
        Volatile.Write(ref Taken, Tail);
        Volatile.Write(ref IsUsed, 1);
    }

    /// <summary>The name as bytes.</summary>
    /// <exception cref="ArgumentException">It is empty, or too long, or no text.</exception>
    internal static byte[] NameOf(string name)
    {
        byte[] bytes = Strict.GetBytes(name);
        return bytes.Length is > 0 and <= MaxNameBytes
            ? bytes
            : throw new ArgumentException(
                $"The name of a port has 1 to {MaxNameBytes} bytes in UTF-8; '{name}' has {bytes.Length}.", nameof(name));
    }
}
