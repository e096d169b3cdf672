using System.Runtime.CompilerServices;

namespace BigPile.Codec.Wire;

/// <summary>The room for a payload that is being written.</summary>
internal abstract unsafe class PayloadWriter(PileBuffer buffer)
{
    /// <summary>Behind it the buffer has only its slack.</summary>
    public byte* End;

    /// <summary>The root is in MessagePack-CSharp's form, which has no place for the pile's extensions.</summary>
    public bool IsPlain;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public byte* Grow(byte* p, long extraBytes)
    {
        p = buffer.Grow(p, extraBytes);
        End = buffer.End;
        return p;
    }

    /// <summary>Room for content of a known size; afterwards the slack is whole again.</summary>
    public byte* Reserve(byte* p, long lengthBytes) => p + lengthBytes > End ? Grow(p, lengthBytes) : p;

    /// <summary>Starts a payload.</summary>
    protected void Begin() => End = buffer.End;
}
