using System;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Members;

/// <summary>The offset of a field, in bytes from the first byte of its object's fields, or of its structure.</summary>
/// <remarks>
/// The runtime keeps the offset in its field descriptor (CoreCLR's FieldDesc): the lower 27 bits of the word at byte 12. At first use a
/// check against fields of known offsets shows whether this holds in the present runtime. If not, a small generated method subtracts
/// addresses, which takes forty times as long.
/// </remarks>
internal static unsafe class FieldOffsets
{
    private const int OffsetWordBytes = 12;
    private const uint OffsetMask = (1u << 27) - 1;

    private static readonly bool IsDescriptionKnown = RuntimeFeature.IsDynamicCodeSupported ? CheckByGeneratedCode() : CheckByAddress();

    public static int Of(FieldInfo field) => IsDescriptionKnown ? FromDescription(field) : FromAddresses(field);

    /// <summary>The offset in the runtime's field descriptor.</summary>
    internal static int FromDescription(FieldInfo field) =>
        (int)(*(uint*)(field.FieldHandle.Value + OffsetWordBytes) & OffsetMask);

    /// <summary>The offset as the difference of two addresses, with the object pinned.</summary>
    internal static int FromAddresses(FieldInfo field)
    {
        Type type = field.DeclaringType!;
        var method = new DynamicMethod("offset", typeof(nint), [typeof(object)], typeof(FieldOffsets).Module, skipVisibility: true);
        ILGenerator il = method.GetILGenerator();
        il.DeclareLocal(typeof(byte).MakeByRefType(), pinned: true);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Call, typeof(RawObject).GetMethod(nameof(RawObject.Data))!);
        il.Emit(OpCodes.Stloc_0);
        il.Emit(OpCodes.Ldarg_0);
        if (type.IsValueType)
            il.Emit(OpCodes.Unbox, type);
        il.Emit(OpCodes.Ldflda, field);
        il.Emit(OpCodes.Conv_U);
        il.Emit(OpCodes.Ldloc_0);
        il.Emit(OpCodes.Conv_U);
        il.Emit(OpCodes.Sub);
        il.Emit(OpCodes.Ret);
        object probe = RuntimeHelpers.GetUninitializedObject(type.IsAbstract ? field.ReflectedType! : type);
        GC.SuppressFinalize(probe);
        return (int)method.CreateDelegate<Func<object, nint>>()(probe);
    }

    private static bool CheckByGeneratedCode()
    {
        foreach (FieldInfo field in KnownFields())
        {
            if (FromDescription(field) != FromAddresses(field))
                return false;
        }
        return true;
    }

    private static bool CheckByAddress()
    {
        var known = new KnownLayout();
        ref byte start = ref RawObject.Data(known);
        return FromDescription(KnownFields()[1]) == (int)Unsafe.ByteOffset(ref start, ref Unsafe.As<int, byte>(ref known.Number))
            && FromDescription(KnownFields()[0]) == (int)Unsafe.ByteOffset(ref start, ref Unsafe.As<string, byte>(ref known.Text));
    }

    private static FieldInfo[] KnownFields() =>
        [typeof(KnownLayout).GetField(nameof(KnownLayout.Text))!, typeof(KnownLayout).GetField(nameof(KnownLayout.Number))!,
            typeof(KnownLayout).GetField(nameof(KnownLayout.Small))!];

    private sealed class KnownLayout
    {
        public string Text = "";
        public int Number;
        public byte Small = 1;
    }
}
