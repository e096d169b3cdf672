using System;
using BigPile.Access;
using BigPile.Layout;

namespace BigPile.Caching.Tests;

/// <summary>Copies a payload, and calls a delegate once in the middle.</summary>
internal struct InterruptedReader(Action interrupt) : IPayloadReader
{
    private Action? _interrupt = interrupt;

    internal byte[] Result { get; private set; } = [];

    public unsafe void Read(byte* payload, long lengthBytes, BlockKind kind)
    {
        Result = new byte[lengthBytes];
        int half = (int)lengthBytes / 2;
        new ReadOnlySpan<byte>(payload, half).CopyTo(Result);
        Action? interrupt = _interrupt;
        _interrupt = null;
        interrupt?.Invoke();
        new ReadOnlySpan<byte>(payload + half, (int)lengthBytes - half).CopyTo(Result.AsSpan(half));
    }
}
