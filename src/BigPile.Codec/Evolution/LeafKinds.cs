using System;
using System.Collections.Generic;
using BigPile.Codec.Choice;
using BigPile.Codec.Graph;
using BigPile.Codec.Slots;

namespace BigPile.Codec.Evolution;

/// <summary>The names of leaf kinds in definitions, and which of them reads which.</summary>
internal static class LeafKinds
{
    private static readonly HashSet<string> Integers = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"];

    private static readonly Dictionary<string, (Type Type, Slot Slot)> Kinds = MakeKinds();

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

    /// <summary>The slot that reads values of a kind, and the type of its places.</summary>
    public static Slot SlotOf(string kind, out Type valueType)
    {
        if (!Kinds.TryGetValue(kind, out (Type Type, Slot Slot) known))
            throw new PileSchemaException($"A schema in the catalog has a member of kind {kind}, which this version does not know.");
        valueType = known.Type;
        return known.Slot;
    }

    private static bool IsFloat(string name) => name is "float32" or "float64";

    private static Dictionary<string, (Type Type, Slot Slot)> MakeKinds()
    {
        var kinds = new Dictionary<string, (Type Type, Slot Slot)> { ["string"] = (typeof(string), new StringSlot()) };
        foreach ((Type type, Slot slot) in LeafSlots.All)
            kinds.TryAdd(slot.LeafName!, (type, slot));
        foreach ((Type type, Slot slot) in ContractSlots.OwnLeaves)
            kinds.TryAdd(slot.LeafName!, (type, slot));
        return kinds;
    }
}
