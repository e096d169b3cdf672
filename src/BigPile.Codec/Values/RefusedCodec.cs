using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>The codec of a type that can't be stored: it refuses all values but null and zero.</summary>
/// <param name="type">The type.</param>
/// <param name="reason">The message of a refusal.</param>
/// <param name="always">Whether null and zero are refused too.</param>
internal sealed unsafe class RefusedCodec(Type type, string reason, bool always = false) : NilCodec
{
    private readonly int _sizeBytes = !type.IsValueType || type.IsPointer || type.IsFunctionPointer
        ? sizeof(nint)
        : RuntimeHelpers.SizeOf(type.TypeHandle);

    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        if (always || MemoryMarshal.CreateReadOnlySpan(ref field, _sizeBytes).ContainsAnyExcept((byte)0))
            throw new RefusedException(type, reason);
        return base.Write(ref field, p, c);
    }
}
