using System;

namespace BigPile.Perf.Payloads;

/// <summary>Payloads of bytes of one length.</summary>
/// <remarks>
/// The pool is one array, and payload i the window that starts at its byte i: a thousand distinct payloads of any length need hardly more
/// memory than one. A get copies into a buffer that the thread reuses (<see cref="Pile.Read(PilePointer, Span{byte})"/>), because the figure is to be the pile's and
/// not that of the runtime's allocation of arrays.
/// </remarks>
internal readonly struct BytesKind : IPayloadKind<BytesKind>
{
    private readonly byte[] _pool;
    private readonly byte[] _buffer;
    private readonly int _lengthBytes;

    internal BytesKind(int lengthBytes) : this(PayloadPool.MakeBytes(lengthBytes + PayloadPool.Size), [], lengthBytes)
    {
    }

    private BytesKind(byte[] pool, byte[] buffer, int lengthBytes)
    {
        _pool = pool;
        _buffer = buffer;
        _lengthBytes = lengthBytes;
    }

    public BytesKind ForThread() => new(_pool, new byte[_lengthBytes], _lengthBytes);

    public PilePointer Put(Pile pile, int number) =>
        pile.Put(new ReadOnlySpan<byte>(_pool, PayloadPool.IndexOf(number), _lengthBytes));

    public bool IsIntact(Pile pile, PilePointer pointer, int number)
    {
        int first = PayloadPool.IndexOf(number);
        byte[] buffer = _buffer;
        return pile.Read(pointer, buffer) == buffer.Length
            && buffer[0] == _pool[first]
            && buffer[^1] == _pool[first + buffer.Length - 1];
    }
}
