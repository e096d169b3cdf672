using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Fields;

/// <summary>
/// Writes and reads fields by kind and offset. It generates no code, so it needs no warm-up and works on every platform.
/// </summary>
internal static unsafe class FieldInterpreter
{
    /// <summary>How many fields are read or written between two checks of the position: so many of fixed size fit into the slack.</summary>
    public const int FieldsPerCheck = 64;

    public static byte* Write(FieldPlan[] plans, ref byte data, byte* p, WriteContext c)
    {
        for (int i = 0; i < plans.Length; i++)
        {
            if (p > c.End)
                p = c.Grow(p, 0);
            p = WriteOne(in plans[i], ref data, p, c);
            Debug.Assert(c.IsInBuffer(p), "The fields between two checks fit into the slack.");
        }
        return p;
    }

    /// <summary>Like <see cref="Write"/>, and keeps the path of member names, for an error message.</summary>
    public static byte* WriteLocated(FieldPlan[] plans, ref byte data, byte* p, WriteContext c)
    {
        for (int i = 0; i < plans.Length; i++)
        {
            if (p > c.End)
                p = c.Grow(p, 0);
            c.Path!.Add(plans[i].Name);
            p = WriteOne(in plans[i], ref data, p, c);
            Debug.Assert(c.Path[^1] == plans[i].Name, "The fields inside have taken their names off the path.");
            c.Path.RemoveAt(c.Path.Count - 1);
        }
        return p;
    }

    public static byte* Read(FieldPlan[] plans, ref byte data, byte* p, ReadContext c)
    {
        for (int i = 0; i < plans.Length; i++)
        {
            if (i % FieldsPerCheck == FieldsPerCheck - 1 && p > c.End)
                BadData.Truncated();
            p = ReadOne(in plans[i], ref data, p, c);
            Debug.Assert(c.IsReadable(p), "The fields between two checks fit into the slack.");
        }
        return p;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* WriteOne(in FieldPlan plan, ref byte data, byte* p, WriteContext c)
    {
        ref byte field = ref Unsafe.AddByteOffset(ref data, plan.OffsetBytes);
        return plan.Kind switch
        {
            FieldKind.Boolean => Encode.Boolean(p, Unsafe.As<byte, bool>(ref field)),
            FieldKind.Int32 => Encode.Int32(p, Unsafe.As<byte, int>(ref field)),
            FieldKind.Int64 => Encode.Int64(p, Unsafe.As<byte, long>(ref field)),
            FieldKind.Double => Encode.Double(p, Unsafe.As<byte, double>(ref field)),
            FieldKind.String => TextEncode.String(p, Unsafe.As<byte, string?>(ref field), c),
            FieldKind.DateTime => DateTimeFormat.Write(p, Unsafe.As<byte, System.DateTime>(ref field)),
            _ => plan.Codec.Write(ref field, p, c),
        };
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* ReadOne(in FieldPlan plan, ref byte data, byte* p, ReadContext c)
    {
        ref byte field = ref Unsafe.AddByteOffset(ref data, plan.OffsetBytes);
        return plan.Kind switch
        {
            FieldKind.Boolean => Decode.Boolean(p, ref Unsafe.As<byte, bool>(ref field)),
            FieldKind.Int32 => Decode.Int32(p, ref Unsafe.As<byte, int>(ref field)),
            FieldKind.Int64 => Decode.Int64(p, ref Unsafe.As<byte, long>(ref field)),
            FieldKind.Double => Decode.Double(p, ref Unsafe.As<byte, double>(ref field)),
            FieldKind.String => TextDecode.String(p, ref Unsafe.As<byte, string?>(ref field), c),
            FieldKind.DateTime => DateTimeFormat.Read(p, ref Unsafe.As<byte, System.DateTime>(ref field), c),
            _ => plan.Codec.Read(ref field, p, c),
        };
    }
}
