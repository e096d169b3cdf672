using System.Runtime.CompilerServices;

namespace BigPile.Codec;

/// <summary>Gives the first byte of an object's fields, or of a box's content.</summary>
internal sealed class RawObject
{
    private byte _firstByte;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ref byte Data(object value) => ref Unsafe.As<RawObject>(value)._firstByte;
}
