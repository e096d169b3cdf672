using System;

namespace BigPile.Perf.Payloads;

/// <summary>Payloads of bytes of one length.</summary>
/// <remarks>
/// The pool is one array, and payload i is the window that starts at its byte i: a thousand distinct payloads of any length need hardly
/// more memory than one. A get copies into a buffer that the thread reuses (<see cref="Pile.TryRead"/>), so that the figure is the pile's
/// and not that of array allocation.
/// </remarks>
internal readonly struct BytesKind : IPayloadKind<BytesKind>
{
    private readonly byte[] _pool;
    private readonly byte[] _buffer;
    private readonly byte[]?[] _batch;
    private readonly int _lengthBytes;

    internal BytesKind(int lengthBytes) : this(PayloadPool.MakeBytes(lengthBytes + PayloadPool.Size), [], [], lengthBytes)
    {
    }

    private BytesKind(byte[] pool, byte[] buffer, byte[]?[] batch, int lengthBytes)
    {
        _pool = pool;
        _buffer = buffer;
        _batch = batch;
        _lengthBytes = lengthBytes;
    }

    public BytesKind ForThread() => new(_pool, new byte[_lengthBytes], new byte[]?[PayloadPool.BatchSize], _lengthBytes);

    public PilePointer Put(Pile pile, int number) =>
        pile.Put(new ReadOnlySpan<byte>(_pool, PayloadPool.IndexOf(number), _lengthBytes));

    public bool IsIntact(Pile pile, PilePointer pointer, int number) =>
        pile.Read(pointer, _buffer) == _buffer.Length && IsSame(_buffer, number);

    public bool AreIntact(Pile pile, ReadOnlySpan<PilePointer> pointers, ReadOnlySpan<int> numbers)
    {
        bool areIntact = pile.GetMany(pointers, _batch.AsSpan()) == pointers.Length;
        for (int i = 0; i < numbers.Length && areIntact; i++)
            areIntact = _batch[i]!.Length == _lengthBytes && IsSame(_batch[i]!, numbers[i]);
        return areIntact;
    }

    private bool IsSame(byte[] actual, int number)
    {
        int first = PayloadPool.IndexOf(number);
        return actual[0] == _pool[first] && actual[^1] == _pool[first + actual.Length - 1];
    }
}
