using System.Runtime.CompilerServices;

namespace BigPile.Codec.Wire;

/// <summary>The capacity for a payload that is being written.</summary>
internal abstract unsafe class PayloadWriter(PileBuffer buffer)
{
    /// <summary>The end of the buffer's capacity: only the slack follows.</summary>
    public byte* End;

    /// <summary>The root is in MessagePack-CSharp's format, which has none of the pile's extensions.</summary>
    public bool IsPlain;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public byte* Grow(byte* p, long extraBytes)
    {
        p = buffer.Grow(p, extraBytes);
        End = buffer.End;
        return p;
    }

    /// <summary>Ensures capacity for content of a known length, beyond which the whole slack is free.</summary>
    public byte* Reserve(byte* p, long lengthBytes) => p + lengthBytes > End ? Grow(p, lengthBytes) : p;

    /// <summary>Starts a payload.</summary>
    protected void Begin() => End = buffer.End;
}
