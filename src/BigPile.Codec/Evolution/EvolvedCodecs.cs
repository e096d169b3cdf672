using System;
using System.Collections.Immutable;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Resolution;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;

namespace BigPile.Codec.Evolution;

/// <summary>Finds the codec that reads a value of a stored kind into a member of the present type.</summary>
internal static class EvolvedCodecs
{
    /// <summary>The codec of a member that still exists.</summary>
    /// <exception cref="PileSchemaException">The member's present type can't hold the stored value.</exception>
    public static FieldCodec Make(EvolvedModels stored, StoredKind kind, Type declared, Type owner, string member) =>
        TryMake(stored, kind, declared) ?? throw new PileSchemaException(
            $"Member {member} of type {owner} was stored as {Describe(stored, kind)}. Its type is now {declared}, which can't hold such "
            + "values. Give the member another name, or put its objects anew.");

    /// <summary>The codec of a member that no longer exists: it reads the value and discards it.</summary>
    public static FieldCodec MakeDiscard(EvolvedModels stored, StoredKind kind)
    {
        FieldCodec codec = DiscardContent(stored, kind, out Type valueType);
        return new DiscardCodec(codec, valueType, kind.IsNullable);
    }

    /// <summary>The codec of a reference to any object: it reads the object and discards it.</summary>
    public static FieldCodec DiscardAny(EvolvedModels stored) =>
        new DiscardCodec(AnyContent(stored, typeof(object)), typeof(object), isNullable: false);

    private static FieldCodec? TryMake(EvolvedModels stored, StoredKind kind, Type declared)
    {
        Type? inner = Nullable.GetUnderlyingType(declared);
        if (kind.IsNullable && inner is null)
            return null;
        if (inner is null)
            return TryMakePlain(stored, kind, declared);
        return TryMakePlain(stored, kind, inner) is { } codec ? ModelFactory.MakeNullable(inner, codec) : null;
    }

    private static FieldCodec? TryMakePlain(EvolvedModels stored, StoredKind kind, Type declared)
    {
        if (kind.Leaf is null)
            return TryMakeEntry(stored, kind.Entry, declared);
        FieldCodec current = stored.Models.CodecFor(declared);
        return kind.Leaf switch
        {
            "any" => declared.IsValueType || declared == typeof(string) ? null : AnyContent(stored, declared),
            "string" => declared.IsAssignableFrom(typeof(string)) ? current : null,
            "none" => new DiscardCodec(new NilCodec(), typeof(object), isNullable: false),
            _ => TryMakeLeaf(kind.Leaf, current, declared),
        };
    }

    // If the owner became a contract since, or is one no longer, its values were stored in the other format.
    private static FieldCodec? TryMakeLeaf(string kind, FieldCodec current, Type declared)
    {
        if (LeafKinds.CanRead(kind, current))
            return current;
        FieldCodec codec = LeafKinds.CodecOf(kind, out Type valueType);
        return valueType == declared ? codec : null;
    }

    private static FieldCodec? TryMakeEntry(EvolvedModels stored, int entry, Type declared)
    {
        if (ModelFactory.ViewedType(declared) is { } viewed)
            return TryMakeEntry(stored, entry, viewed.MakeArrayType()) is { } array ? ModelFactory.MakeView(viewed, array) : null;
        if (declared.IsConstructedGenericType && declared.GetGenericTypeDefinition() == typeof(ImmutableArray<>))
            return TryMakeEntry(stored, entry, declared.GetGenericArguments()[0].MakeArrayType());
        Type? type = stored.TypeOf(entry, declared);
        if (type is null)
            throw new PileSchemaException(
                $"The stored type {stored.NameOf(entry)} is not known: the application's assemblies don't declare it.");
        if (stored.FormOf(entry) == SchemaForm.Union)
            return type == declared ? stored.Union(entry) : null;
        if (type.IsValueType)
            return type == declared ? stored.StructureCodec(entry) : null;
        bool mayFit = declared.IsAssignableFrom(type) || type.IsAssignableFrom(declared);
        return mayFit && !declared.IsValueType ? new ReferenceCodec(declared, stored.Models, () => stored.Entry(entry)) : null;
    }

    private static FieldCodec DiscardContent(EvolvedModels stored, StoredKind kind, out Type valueType)
    {
        valueType = typeof(object);
        if (kind.Leaf is null)
            return DiscardEntry(stored, kind.Entry, ref valueType);
        if (kind.Leaf == "any")
            return AnyContent(stored, valueType);
        if (kind.Leaf == "none")
            return new NilCodec();
        return LeafKinds.CodecOf(kind.Leaf, out valueType);
    }

    private static FieldCodec DiscardEntry(EvolvedModels stored, int entry, ref Type valueType)
    {
        Type? type = stored.TypeOf(entry);
        if (stored.FormOf(entry) == SchemaForm.Union)
            return type is null ? new SkipUnionCodec(AnyContent(stored, valueType)) : stored.Union(entry);
        if (type is { IsValueType: true })
        {
            valueType = type;
            return stored.StructureCodec(entry);
        }
        return stored.FormOf(entry) is SchemaForm.Structure or SchemaForm.NamedStructure
            ? new SkipCodec(stored.Entry(entry))
            : new ReferenceCodec(valueType, stored.Models, () => stored.Entry(entry));
    }

    private static ReferenceCodec AnyContent(EvolvedModels stored, Type declared) => new(declared, stored.Models, null);

    private static string Describe(EvolvedModels stored, StoredKind kind) =>
        (kind.IsNullable ? "nullable " : "") + (kind.Leaf ?? stored.NameOf(kind.Entry));
}
