using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Ports.Layout;

/// <summary>
/// An entry of a port's ring: a reference, and the same XORed with a mask of its number, so that other values are detected.
/// </summary>
internal readonly unsafe struct RingEntry(byte* at, long number)
{
    internal const long Bytes = 16;
    private const ulong Spread = 0x9E3779B97F4A7C15;

    private ref ulong Word => ref Unsafe.AsRef<ulong>(at);

    private ref ulong Check => ref Unsafe.AsRef<ulong>(at + sizeof(ulong));

    private ulong Mask => ((ulong)number + 1) * Spread;

    internal void Write(Reference reference)
    {
        Volatile.Write(ref Word, reference.Word);
        Volatile.Write(ref Check, reference.Word ^ Mask);
    }

    /// <summary>Reads the reference of this number.</summary>
    /// <returns><see langword="false"/> if the entry is not of this number.</returns>
    internal bool TryRead(out Reference reference)
    {
        reference = new Reference(Volatile.Read(ref Word));
        return Volatile.Read(ref Check) == (reference.Word ^ Mask);
    }
}
