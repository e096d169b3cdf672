using System;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Codec.Graph;
using BigPile.Codec.Resolution;
using BigPile.Codec.Values;

namespace BigPile.Codec.Evolution;

/// <summary>The names of leaf kinds in definitions, and their compatibility.</summary>
internal static class LeafKinds
{
    private static readonly HashSet<string> Integers = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"];

    private static readonly Dictionary<string, (Type Type, FieldCodec Codec)> Kinds = MakeKinds();

    /// <summary>Whether a codec reads values of a stored kind: the same kind, or numbers. Their range is checked at each value.</summary>
    public static bool CanRead(string stored, FieldCodec current)
    {
        if (current.LeafName is not { } name)
            return false;
        if (name == stored)
            return true;
        if (Integers.Contains(stored))
            return Integers.Contains(name) || IsFloat(name);
        return IsFloat(stored) && IsFloat(name);
    }

    /// <summary>The codec that reads values of a kind, and their type.</summary>
    public static FieldCodec CodecOf(string kind, out Type valueType)
    {
        if (!Kinds.TryGetValue(kind, out (Type Type, FieldCodec Codec) known))
            throw new PileSchemaException($"A schema in the catalog has a member of kind {kind}, which this version does not know.");
        valueType = known.Type;
        return known.Codec;
    }

    private static bool IsFloat(string name) => name is "float32" or "float64";

    private static Dictionary<string, (Type Type, FieldCodec Codec)> MakeKinds()
    {
        var kinds = new Dictionary<string, (Type Type, FieldCodec Codec)> { ["string"] = (typeof(string), new StringCodec()) };
        foreach ((Type type, FieldCodec codec) in LeafCodecs.All)
            kinds.TryAdd(codec.LeafName!, (type, codec));
        foreach ((Type type, FieldCodec codec) in ContractCodecs.OwnLeaves)
            kinds.TryAdd(codec.LeafName!, (type, codec));
        Debug.Assert(kinds.Count == 1 + LeafCodecs.All.Count + ContractCodecs.OwnLeaves.Count, "Each kind of leaf has a name of its own.");
        return kinds;
    }
}
