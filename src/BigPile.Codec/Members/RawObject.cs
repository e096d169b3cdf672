using System.Runtime.CompilerServices;

namespace BigPile.Codec.Members;

/// <summary>An object as the runtime lays it out: the handle of its type, then its fields.</summary>
internal sealed class RawObject
{
    private byte _firstByte;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint TypeHandle(object value) => Unsafe.Subtract(ref Unsafe.As<byte, nint>(ref Data(value)), 1);

    /// <summary>The object whose first field is at a reference.</summary>
    public static unsafe object Owner(ref byte data)
    {
        // While its field is pinned, the object can't move: then its address, made a reference, is valid.
        fixed (byte* first = &data)
        {
            nint address = (nint)first - sizeof(nint);
            return Unsafe.As<nint, object>(ref address);
        }
    }

    /// <summary>The first byte of the fields, or of a box's content.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ref byte Data(object value) => ref Unsafe.As<RawObject>(value)._firstByte;
}
