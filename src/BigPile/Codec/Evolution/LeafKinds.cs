using System;
using System.Collections.Generic;

namespace BigPile.Codec;

/// <summary>The names of leaf kinds in definitions, and which of them reads which.</summary>
internal static class LeafKinds
{
    private static readonly HashSet<string> Integers = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"];

    private static readonly Dictionary<string, Type> Types = MakeTypes();

    /// <summary>Whether a slot reads values of a stored kind: the same kind, or numbers whose range is checked at each value.</summary>
    public static bool CanRead(string stored, Slot current)
    {
        if (current.LeafName is not { } name)
            return false;
        if (name == stored)
            return true;
        if (Integers.Contains(stored))
            return Integers.Contains(name) || IsFloat(name);
        return IsFloat(stored) && IsFloat(name);
    }

    /// <summary>A type whose slot reads values of a kind.</summary>
    public static Type TypeOf(string kind) => Types.TryGetValue(kind, out Type? type)
        ? type
        : throw new PileSchemaException($"A schema in the catalog has a member of kind {kind}, which this version does not know.");

    private static bool IsFloat(string name) => name is "float32" or "float64";

    private static Dictionary<string, Type> MakeTypes()
    {
        var types = new Dictionary<string, Type> { ["string"] = typeof(string) };
        foreach (Type type in LeafSlots.Types)
        {
            if (LeafSlots.TryGet(type, out Slot? slot) && slot!.LeafName is { } name)
                types[name] = type;
        }
        return types;
    }
}
