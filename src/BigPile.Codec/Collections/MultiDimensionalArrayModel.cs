using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>
/// Arrays of several dimensions, or with a first index other than 0: length and first index of each dimension, then the elements by rows.
/// </summary>
internal sealed unsafe class MultiDimensionalArrayModel(Type type, FieldCodec codec, ModelCache models) : ItemsModel(type, codec, models)
{
    private readonly int _rank = type.GetArrayRank();

    private readonly int _elementBytes =
        type.GetElementType() is { IsValueType: true } element ? RuntimeHelpers.SizeOf(element.TypeHandle) : sizeof(nint);

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        var array = (Array)value;
        if (p > c.End)
            p = c.Grow(p, 0);
        p = Encode.ArrayHeader(p, checked(array.Length + 1), typeId);
        int[] dimensions = CreationLengths(value);
        p = Encode.ExtensionHeader(p, ExtensionCode.Dimensions, dimensions.Length * sizeof(int));
        dimensions.CopyTo(new Span<int>(p, dimensions.Length));
        p += dimensions.Length * sizeof(int);
        ref byte data = ref MemoryMarshal.GetArrayDataReference(array);
        for (nint i = 0; i < array.Length; i++)
        {
            if (p > c.End)
                p = c.Grow(p, 0);
            p = ItemCodec.Write(ref Unsafe.AddByteOffset(ref data, i * _elementBytes), p, c);
        }
        return p;
    }

    public override int[] CreationLengths(object value)
    {
        var array = (Array)value;
        var dimensions = new int[2 * _rank];
        for (int d = 0; d < _rank; d++)
        {
            dimensions[2 * d] = array.GetLength(d);
            dimensions[2 * d + 1] = array.GetLowerBound(d);
        }
        return dimensions;
    }

    public override object CreateDeferred(ReadOnlySpan<int> lengths, ReadContext c) => Make(lengths, c);

    protected override object Create(int count, byte* p, ReadContext c)
    {
        if (count < 1)
            BadData.WrongCount(Type, count);
        ReadDimensions(p, out ReadOnlySpan<int> dimensions, c);
        return Make(dimensions, c);
    }

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        var array = (Array)value;
        if (count - 1 != array.Length)
            BadData.WrongCount(Type, count);
        p = ReadDimensions(p, out _, c);
        ref byte data = ref MemoryMarshal.GetArrayDataReference(array);
        for (nint i = 0; i < array.Length; i++)
        {
            p = ItemCodec.Read(ref Unsafe.AddByteOffset(ref data, i * _elementBytes), p, c);
            if (p > c.End)
                BadData.Truncated();
        }
        return p;
    }

    private static byte* ReadDimensions(byte* p, out ReadOnlySpan<int> dimensions, ReadContext c)
    {
        p = c.ExtensionHeader(p, out sbyte extension, out int lengthBytes);
        if (extension != ExtensionCode.Dimensions)
            BadData.Invalid("an array has no dimensions");
        dimensions = new ReadOnlySpan<int>(p, lengthBytes / sizeof(int));
        return p + lengthBytes;
    }

    private Array Make(ReadOnlySpan<int> dimensions, ReadContext c)
    {
        if (dimensions.Length != 2 * _rank)
            BadData.Invalid("an array has another rank than its type");
        var lengths = new int[_rank];
        var firstIndexes = new int[_rank];
        long total = 1;
        for (int d = 0; d < _rank; d++)
        {
            lengths[d] = dimensions[2 * d];
            firstIndexes[d] = dimensions[2 * d + 1];
            if (lengths[d] < 0 || lengths[d] > Array.MaxLength || (long)firstIndexes[d] + lengths[d] > int.MaxValue)
                BadData.Invalid("an array has impossible dimensions");
            total *= lengths[d]; // below 2^63
            if (total > uint.MaxValue)
                BadData.OverBudget(); // even if a later length is 0: the runtime makes no such array
        }
        c.Charge(total * ItemCodec.LeastBytes);
        return Array.CreateInstanceFromArrayType(Type, lengths, firstIndexes);
    }
}
