using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Access;

/// <summary>A payload that is about to be stored; writes itself into the slot taken for it.</summary>
internal unsafe interface INewPayload
{
    BlockKind Kind { get; }

    long LengthBytes { get; }

    /// <summary>The payload bytes that the slot must hold: more than the length if it is to grow.</summary>
    long CapacityBytes { get; }

    /// <summary>Writes the payload. Runs no application code: the caller is in a critical region.</summary>
    void WriteTo(byte* destination);
}

/// <summary>A payload that exists as bytes.</summary>
internal readonly unsafe ref struct ReadyPayload(ReadOnlySpan<byte> bytes, BlockKind kind, int preallocateBytes) : INewPayload
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;

    public BlockKind Kind { get; } = kind;

    public long LengthBytes => _bytes.Length;

    public long CapacityBytes => Math.Max(_bytes.Length, preallocateBytes);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteTo(byte* destination)
    {
        CrashPoints.CopyHalf(_bytes, destination, CrashPoint.PutHalfOfPayload);
        _bytes.CopyTo(new Span<byte>(destination, _bytes.Length));
    }
}

/// <summary>A string of ASCII characters, as the caller has checked.</summary>
internal readonly unsafe struct AsciiPayload(string value) : INewPayload
{
    public BlockKind Kind => BlockKind.String;

    public long LengthBytes => value.Length;

    public long CapacityBytes => value.Length;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void WriteTo(byte* destination)
    {
        bool isAscii = AsciiText.TryNarrow(value, destination);
        Debug.Assert(isAscii, "Each character is one byte.");
    }
}

/// <summary>Bytes, all zero.</summary>
internal readonly unsafe struct ZerosPayload(int lengthBytes) : INewPayload
{
    public BlockKind Kind => BlockKind.Bytes;

    public long LengthBytes => lengthBytes;

    public long CapacityBytes => lengthBytes;

    public void WriteTo(byte* destination) => new Span<byte>(destination, lengthBytes).Clear();
}

/// <summary>Bytes from several buffers.</summary>
internal readonly unsafe struct PartsPayload(PinnedParts parts) : INewPayload
{
    public BlockKind Kind => BlockKind.Bytes;

    public long LengthBytes => parts.LengthBytes;

    public long CapacityBytes => parts.LengthBytes;

    public void WriteTo(byte* destination) => parts.CopyTo(new Span<byte>(destination, (int)parts.LengthBytes));
}
