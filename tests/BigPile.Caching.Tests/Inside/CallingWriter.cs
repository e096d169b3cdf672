using System;
using System.Buffers;

namespace BigPile.Caching.Tests.Inside;

/// <summary>Calls an action whenever it is asked for a buffer or told what was written.</summary>
internal sealed class CallingWriter(Action called) : IBufferWriter<byte>
{
    private readonly ArrayBufferWriter<byte> _bytes = new();

    internal int WrittenCount => _bytes.WrittenCount;

    public void Advance(int count)
    {
        called();
        _bytes.Advance(count);
    }

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        called();
        return _bytes.GetMemory(sizeHint);
    }

    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;
}
