using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>
/// Blobs: all primitive elements of a collection as one MessagePack value. Binary data for bytes, else an extension with little-endian
/// content.
/// </summary>
internal static unsafe class Blob
{
    private const int HeaderMaxBytes = 6;

    /// <summary>The kind of the elements if they are stored as a blob, else <see cref="FieldKind.Other"/>.</summary>
    public static FieldKind KindOf(FieldCodec element) =>
        element.Kind is >= FieldKind.Boolean and <= FieldKind.Half ? element.Kind : FieldKind.Other;

    public static byte* Write<T>(ReadOnlySpan<T> items, FieldKind kind, byte* p, WriteContext c)
    {
        Debug.Assert(kind is >= FieldKind.Boolean and <= FieldKind.Half, "Only such kinds have a code for a blob.");
        long lengthBytes = (long)items.Length * Unsafe.SizeOf<T>();
        p = c.Reserve(p, lengthBytes + HeaderMaxBytes);
        p = kind == FieldKind.Byte
            ? Encode.BinHeader(p, (int)lengthBytes)
            : Encode.ExtensionHeader(p, (sbyte)(ExtensionCode.FirstBlob + (int)kind), (int)lengthBytes);
        Debug.Assert(p + lengthBytes <= c.End, "Header and content were reserved.");
        ref byte source = ref Unsafe.As<T, byte>(ref MemoryMarshal.GetReference(items));
        MemoryMarshal.CreateReadOnlySpan(ref source, (int)lengthBytes).CopyTo(new Span<byte>(p, (int)lengthBytes));
        return p + lengthBytes;
    }

    /// <summary>Reads the header, and computes the number of elements.</summary>
    public static byte* ReadHeader<T>(byte* p, FieldKind kind, out int count, ReadContext c)
    {
        int lengthBytes;
        sbyte extension = (sbyte)(ExtensionCode.FirstBlob + (int)kind);
        if (kind == FieldKind.Byte)
            p = c.BinHeader(p, out lengthBytes);
        else
            p = c.ExtensionHeader(p, out extension, out lengthBytes);
        if (extension != ExtensionCode.FirstBlob + (int)kind || lengthBytes % Unsafe.SizeOf<T>() != 0)
            BadData.Invalid($"its elements are not of type {typeof(T)}");
        Debug.Assert(p + lengthBytes <= c.End, "The header's length was checked against the payload's end.");
        count = lengthBytes / Unsafe.SizeOf<T>();
        return p;
    }

    public static byte* ReadItems<T>(Span<T> items, FieldKind kind, byte* p)
    {
        Debug.Assert(!RuntimeHelpers.IsReferenceOrContainsReferences<T>(), "Bytes are copied over values, never over references.");
        int lengthBytes = items.Length * Unsafe.SizeOf<T>();
        var source = new ReadOnlySpan<byte>(p, lengthBytes);
        if (kind == FieldKind.Boolean && source.ContainsAnyExceptInRange((byte)0, (byte)1))
            BadData.OutOfRange("boolean");
        ref byte target = ref Unsafe.As<T, byte>(ref MemoryMarshal.GetReference(items));
        source.CopyTo(MemoryMarshal.CreateSpan(ref target, lengthBytes));
        return p + lengthBytes;
    }

    /// <summary>Whether a value is a blob. A single element of a kind that is stored in blobs never looks like one.</summary>
    public static bool IsAt(byte* p) => Code.IsExtension(*p) || *p is Code.Bin8 or Code.Bin16 or Code.Bin32;
}
