using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>Writes and reads the elements of collections one by one.</summary>
internal static unsafe class Items
{
    public static byte* Write<T>(ReadOnlySpan<T> items, FieldCodec codec, byte* p, WriteContext c)
    {
        for (int i = 0; i < items.Length; i++)
        {
            Debug.Assert(c.IsInBuffer(p), "The last element fits into the slack.");
            if (p > c.End)
                p = c.Grow(p, 0);
            p = codec.Write(ref Unsafe.As<T, byte>(ref Unsafe.AsRef(in items[i])), p, c);
        }
        return p;
    }

    public static byte* Read<T>(Span<T> items, FieldCodec codec, byte* p, ReadContext c)
    {
        for (int i = 0; i < items.Length; i++)
        {
            p = codec.Read(ref Unsafe.As<T, byte>(ref items[i]), p, c);
            Debug.Assert(c.IsReadable(p), "An element of fixed size fits into the slack.");
            if (p > c.End)
                BadData.Truncated();
        }
        return p;
    }

    public static byte* WriteOne<T>(T item, FieldCodec codec, byte* p, WriteContext c)
    {
        Debug.Assert(c.IsInBuffer(p), "The last element fits into the slack.");
        if (p > c.End)
            p = c.Grow(p, 0);
        return codec.Write(ref Unsafe.As<T, byte>(ref item), p, c);
    }

    public static byte* ReadOne<T>(out T item, FieldCodec codec, byte* p, ReadContext c)
    {
        item = default!;
        p = codec.Read(ref Unsafe.As<T, byte>(ref item), p, c);
        Debug.Assert(c.IsReadable(p), "An element of fixed size fits into the slack.");
        if (p > c.End)
            BadData.Truncated();
        return p;
    }

    /// <summary>Checks that a collection had as many elements as its header says: another thread may have changed it.</summary>
    public static void CheckUnchanged(int missing, Type type)
    {
        if (missing != 0)
            throw new PileSerializationException($"A {type} was changed while it was written.");
    }
}
