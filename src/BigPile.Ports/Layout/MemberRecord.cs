using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Ports.Layout;

/// <summary>One receiver of a multicast port: how far it is, and whose it is. It has a line of its own.</summary>
/// <remarks>Only who has the control lock changes the slot. The receiver changes the cursor, and a sender that passes it.</remarks>
internal readonly unsafe struct MemberRecord(byte* at)
{
    internal const long Bytes = 64;

    /// <summary>The cursor of a receiver that the sender has cut off.</summary>
    internal const long CutOff = -1;

    /// <summary>The number of the next object that it receives; <see cref="CutOff"/>.</summary>
    internal ref long Cursor => ref Unsafe.AsRef<long>(at);

    /// <summary>The slot of its process; -1 for none, and for what no process can have.</summary>
    internal int Slot
    {
        get => Volatile.Read(ref SlotWord) is > 0 and <= ArenaShape.Processes and int slot ? slot - 1 : -1;
        set => Volatile.Write(ref SlotWord, value + 1);
    }

    private ref int SlotWord => ref Unsafe.AsRef<int>(at + sizeof(long));
}
