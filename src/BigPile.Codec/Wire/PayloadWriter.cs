using System.Diagnostics;
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
        Debug.Assert(End == buffer.End, "Only the writer has the buffer grow while it writes a payload.");
        p = buffer.Grow(p, extraBytes);
        End = buffer.End;
        return p;
    }

    /// <summary>Ensures capacity for content of a known length, beyond which the whole slack is free.</summary>
    public byte* Reserve(byte* p, long lengthBytes)
    {
        Debug.Assert(lengthBytes >= 0, "A length was computed without an overflow.");
        return p + lengthBytes > End ? Grow(p, lengthBytes) : p;
    }

    /// <summary>Whether this writes into a buffer; for assertions.</summary>
    public bool IsOf(PileBuffer other) => buffer == other;

    /// <summary>Whether a position is in the buffer's present memory, the slack included; for assertions.</summary>
    public bool IsInBuffer(byte* p) => p >= buffer.Start && p <= End + PileBuffer.SlackBytes;

    /// <summary>Starts a payload.</summary>
    protected void Begin() => End = buffer.End;
}
