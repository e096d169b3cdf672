using System.Runtime.CompilerServices;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>What an arena knows of a process that has it open.</summary>
internal readonly unsafe struct SlotRecord(byte* at)
{
    internal const long Bytes = 192; // three lines: the state, and the two of a doorbell

    /// <summary>A <see cref="SlotState"/>.</summary>
    internal ref int State => ref Unsafe.AsRef<int>(at);

    /// <summary>By which others wake the process to look for what it can give back.</summary>
    internal Doorbell Bell => new(at + 64);
}
