using System;
using System.Buffers.Binary;

namespace BigPile.Perf.Latencies;

/// <summary>Objects of a pile, by pointers in an array.</summary>
internal sealed class PileTarget : ICallTarget
{
    private readonly PilePointer[] _pointers;

    internal PileTarget(PileOptions options, int most)
    {
        _pointers = new PilePointer[most];
        Array.Clear(_pointers); // it is touched before it is measured
        Pile = new Pile(options);
    }

    public Pile Pile { get; }

    public bool Get(int number, byte[] buffer) =>
        Pile.TryRead(_pointers[number], buffer, out int payloadBytes)
        && payloadBytes == buffer.Length && BinaryPrimitives.ReadInt64LittleEndian(buffer) == number;

    public bool Put(int number, byte[] buffer)
    {
        BinaryPrimitives.WriteInt64LittleEndian(buffer, number);
        _pointers[number] = Pile.Put(new ReadOnlySpan<byte>(buffer));
        return true;
    }

    public bool Replace(int number, byte[] buffer)
    {
        BinaryPrimitives.WriteInt64LittleEndian(buffer, number);
        Pile.Replace(_pointers[number], new ReadOnlySpan<byte>(buffer));
        return true;
    }

    public bool Remove(int number) => Pile.TryDelete(_pointers[number]);

    public void Dispose() => Pile.Dispose();
}
