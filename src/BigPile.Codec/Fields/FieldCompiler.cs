using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Reflection.Emit;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Fields;

/// <summary>Generates IL for the writer and the reader of a field list: the interpreter's loop, unrolled.</summary>
/// <remarks>
/// The methods access fields by offset only, so private, inherited and read-only fields need no special case. Their first argument is the
/// array of field codecs, over which the delegate is closed.
/// </remarks>
internal static unsafe class FieldCompiler
{
    private static readonly Type BytePointer = typeof(byte*);
    private static readonly Type ByteReference = typeof(byte).MakeByRefType();
    private static readonly Dictionary<FieldKind, Inlined> Inlines = MakeInlines();

    public static FieldsWriter Writer(FieldPlan[] plans)
    {
        DynamicMethod method = Begin("WriteFields", typeof(WriteContext));
        ILGenerator il = method.GetILGenerator();
        for (int i = 0; i < plans.Length; i++)
        {
            if (i % FieldInterpreter.FieldsPerCheck == FieldInterpreter.FieldsPerCheck - 1)
                EmitHelper(il, nameof(GrowIfPastEnd));
            EmitWrite(il, plans[i], i);
            il.Emit(OpCodes.Starg_S, (byte)2);
            // The fields behind nested objects are written one after the other, innermost first, and together could exceed the slack.
            if (plans[i].MayNest && i < plans.Length - 1)
                EmitHelper(il, nameof(GrowIfPastEnd));
        }
        EmitReturn(il);
        return method.CreateDelegate<FieldsWriter>(Codecs(plans));
    }

    public static FieldsReader Reader(FieldPlan[] plans)
    {
        DynamicMethod method = Begin("ReadFields", typeof(ReadContext));
        ILGenerator il = method.GetILGenerator();
        for (int i = 0; i < plans.Length; i++)
        {
            if (i % FieldInterpreter.FieldsPerCheck == FieldInterpreter.FieldsPerCheck - 1)
                EmitHelper(il, nameof(ThrowIfPastEnd));
            EmitRead(il, plans[i], i);
            il.Emit(OpCodes.Starg_S, (byte)2);
        }
        EmitReturn(il);
        return method.CreateDelegate<FieldsReader>(Codecs(plans));
    }

    internal static byte* GrowIfPastEnd(byte* p, WriteContext c)
    {
        Debug.Assert(c.IsInBuffer(p), "The fields between two checks fit into the slack.");
        return p > c.End ? c.Grow(p, 0) : p;
    }

    internal static byte* ThrowIfPastEnd(byte* p, ReadContext c)
    {
        Debug.Assert(c.IsReadable(p), "The fields between two checks fit into the slack.");
        if (p > c.End)
            BadData.Truncated();
        return p;
    }

    private static DynamicMethod Begin(string name, Type context) =>
        new(
            name, BytePointer, [typeof(FieldCodec[]), ByteReference, BytePointer, context], typeof(FieldCompiler).Module,
            skipVisibility: true);

    private static FieldCodec[] Codecs(FieldPlan[] plans) => Array.ConvertAll(plans, plan => plan.Codec);

    private static void EmitReturn(ILGenerator il)
    {
        il.Emit(OpCodes.Ldarg_2);
        il.Emit(OpCodes.Ret);
    }

    private static void EmitHelper(ILGenerator il, string name)
    {
        il.Emit(OpCodes.Ldarg_2);
        il.Emit(OpCodes.Ldarg_3);
        il.Emit(OpCodes.Call, typeof(FieldCompiler).GetMethod(name, BindingFlags.Static | BindingFlags.NonPublic)!);
        il.Emit(OpCodes.Starg_S, (byte)2);
    }

    private static void EmitWrite(ILGenerator il, in FieldPlan plan, int index)
    {
        if (!Inlines.TryGetValue(plan.Kind, out Inlined inlined))
        {
            EmitCodecCall(il, plan, index, nameof(FieldCodec.Write));
            return;
        }
        Debug.Assert(inlined.Writer.GetParameters()[1].ParameterType == inlined.Type, "The helper takes the value that is loaded.");
        il.Emit(OpCodes.Ldarg_2);
        EmitFieldAddress(il, plan.OffsetBytes);
        il.Emit(OpCodes.Ldobj, inlined.Type);
        EmitContextFor(il, inlined.Writer, parametersWithContext: 3);
        il.Emit(OpCodes.Call, inlined.Writer);
    }

    private static void EmitRead(ILGenerator il, in FieldPlan plan, int index)
    {
        if (!Inlines.TryGetValue(plan.Kind, out Inlined inlined))
        {
            EmitCodecCall(il, plan, index, nameof(FieldCodec.Read));
            return;
        }
        Debug.Assert(
            inlined.Reader.GetParameters()[1].ParameterType == inlined.Type.MakeByRefType(), "The helper takes a reference to the value.");
        il.Emit(OpCodes.Ldarg_2);
        EmitFieldAddress(il, plan.OffsetBytes);
        EmitContextFor(il, inlined.Reader, parametersWithContext: 3);
        il.Emit(OpCodes.Call, inlined.Reader);
    }

    private static void EmitCodecCall(ILGenerator il, in FieldPlan plan, int index, string name)
    {
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_I4, index);
        il.Emit(OpCodes.Ldelem_Ref);
        EmitFieldAddress(il, plan.OffsetBytes);
        il.Emit(OpCodes.Ldarg_2);
        il.Emit(OpCodes.Ldarg_3);
        il.Emit(OpCodes.Callvirt, typeof(FieldCodec).GetMethod(name)!);
    }

    private static void EmitFieldAddress(ILGenerator il, int offsetBytes)
    {
        il.Emit(OpCodes.Ldarg_1);
        il.Emit(OpCodes.Ldc_I4, offsetBytes);
        il.Emit(OpCodes.Conv_I);
        il.Emit(OpCodes.Add);
    }

    private static void EmitContextFor(ILGenerator il, MethodInfo helper, int parametersWithContext)
    {
        Debug.Assert(helper.ReturnType == BytePointer, "A helper returns the position behind the value.");
        Debug.Assert(helper.GetParameters()[0].ParameterType == BytePointer, "A helper takes the position first.");
        if (helper.GetParameters().Length == parametersWithContext)
            il.Emit(OpCodes.Ldarg_3);
    }

    private static Dictionary<FieldKind, Inlined> MakeInlines() => new()
    {
        [FieldKind.Boolean] = Inlined.Number<bool>(nameof(Encode.Boolean)),
        [FieldKind.SByte] = Inlined.Number<sbyte>(nameof(Encode.SByte)),
        [FieldKind.Byte] = Inlined.Number<byte>(nameof(Encode.Byte)),
        [FieldKind.Int16] = Inlined.Number<short>(nameof(Encode.Int16)),
        [FieldKind.UInt16] = Inlined.Number<ushort>(nameof(Encode.UInt16)),
        [FieldKind.Int32] = Inlined.Number<int>(nameof(Encode.Int32)),
        [FieldKind.UInt32] = Inlined.Number<uint>(nameof(Encode.UInt32)),
        [FieldKind.Int64] = Inlined.Number<long>(nameof(Encode.Int64)),
        [FieldKind.UInt64] = Inlined.Number<ulong>(nameof(Encode.UInt64)),
        [FieldKind.Single] = Inlined.Number<float>(nameof(Encode.Single)),
        [FieldKind.Double] = Inlined.Number<double>(nameof(Encode.Double)),
        [FieldKind.Char] = Inlined.Number<char>(nameof(Encode.Char)),
        [FieldKind.String] = new(typeof(string), typeof(TextEncode).GetMethod("String")!, typeof(TextDecode).GetMethod("String")!),
        [FieldKind.DateTime] = new(typeof(DateTime), typeof(DateTimeFormat).GetMethod("Write")!, typeof(DateTimeFormat).GetMethod("Read")!),
    };

    private readonly record struct Inlined(Type Type, MethodInfo Writer, MethodInfo Reader)
    {
        public static Inlined Number<T>(string name) =>
            new(typeof(T), typeof(Encode).GetMethod(name)!, typeof(Decode).GetMethod(name)!);
    }
}
