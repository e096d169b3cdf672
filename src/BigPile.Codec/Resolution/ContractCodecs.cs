using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Runtime.CompilerServices;
using BigPile.Codec.Fields;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Models;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Resolution;

/// <summary>The field codecs for members of contract types, in MessagePack-CSharp's formats.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ContractCodecs(ModelFactory factory, bool mayExtend)
{
    private static readonly Dictionary<Type, FieldCodec> Leaves = new()
    {
        [typeof(decimal)] = new LeafCodec<decimal, DecimalTextFormat>("decimalText"),
        [typeof(Guid)] = new LeafCodec<Guid, GuidTextFormat>("guidText"),
        [typeof(DateTime)] = new LeafCodec<DateTime, TimestampFormat>("timestamp"),
        [typeof(Half)] = new LeafCodec<Half, HalfFloatFormat>("halfFloat"),
    };

    private static readonly Dictionary<Type, Type> Classes = new()
    {
        [typeof(IList<>)] = typeof(List<>),
        [typeof(ICollection<>)] = typeof(List<>),
        [typeof(IDictionary<,>)] = typeof(Dictionary<,>),
        [typeof(IReadOnlyDictionary<,>)] = typeof(Dictionary<,>),
        [typeof(ISet<>)] = typeof(HashSet<>),
        [typeof(IReadOnlySet<>)] = typeof(HashSet<>),
    };

    private static readonly Type[] ArrayInterfaces = [typeof(IEnumerable<>), typeof(IReadOnlyList<>), typeof(IReadOnlyCollection<>)];

    private readonly ConditionalWeakTable<Type, TypeModel> _containers = [];

    private ModelCache Models => factory.Models;

    /// <summary>The leaf codecs whose format differs from the pile's own.</summary>
    public static IReadOnlyDictionary<Type, FieldCodec> OwnLeaves => Leaves;

    /// <summary>Drops the containers' models, which refer to all others.</summary>
    public void Clear() => _containers.Clear();

    public FieldCodec CodecFor(Type declared)
    {
        if (Leaves.TryGetValue(declared, out FieldCodec? leaf))
            return factory.IsNormal ? NormalizedCodecs.Of(declared, leaf) : leaf;
        if (Nullable.GetUnderlyingType(declared) is { } inner)
            return ModelFactory.MakeNullable(inner, CodecFor(inner));
        if (declared.IsConstructedGenericType && declared.GetGenericTypeDefinition() == typeof(ImmutableArray<>))
            return CodecFor(declared.GetGenericArguments()[0].MakeArrayType());
        Type exact = ClassOf(declared);
        if (ModelFactory.IsContainer(exact) && !exact.IsAbstract)
            return mayExtend || ContractForm.IsContainer(exact)
                ? new ReferenceCodec(declared, Models, () => Container(exact), exact)
                : Refuse(declared);
        if (ContractForm.IsTuple(declared) && factory.IsMadeOfFields(declared))
            return MakeTuple(declared);
        return mayExtend || ContractForm.IsValue(declared) || HasForm(declared) ? Models.CodecFor(declared) : Refuse(declared);
    }

    private static bool HasForm(Type declared) =>
        Contract.Of(declared) is not null || UnionCodec.ListOf(declared).Any();

    private static RefusedCodec Refuse(Type declared) => new(declared, PlainForm.WhyNot($"a member of type {declared}"));

    private FieldCodec MakeTuple(Type type) => type.IsValueType
        ? new StructCodec(TupleFields(type))
        : new ReferenceCodec(type, Models, () => _containers.GetValue(type, t => new FieldsModel(t, TupleFields(t), Models)));

    private FieldList TupleFields(Type type) => new(
        type, [.. FieldListBuilder.FieldsOf(type).ConvertAll(field => FieldPlan.Of(field, CodecFor(field.ValueType), type))],
        Models.CodeGeneration);

    // The class that the library makes for a collection's interface. Objects of other classes are written with a type id.
    private static Type ClassOf(Type declared)
    {
        if (!declared.IsInterface || !declared.IsConstructedGenericType)
            return declared;
        Type[] arguments = declared.GetGenericArguments();
        if (Classes.TryGetValue(declared.GetGenericTypeDefinition(), out Type? known))
            return known.MakeGenericType(arguments);
        return ArrayInterfaces.Contains(declared.GetGenericTypeDefinition()) ? arguments[0].MakeArrayType() : declared;
    }

    private TypeModel Container(Type type) => _containers.TryGetValue(type, out TypeModel? model)
        ? model
        : _containers.GetValue(type, t =>
            factory.MakeContainer(t, Array.ConvertAll(ModelFactory.ElementTypes(t), e => ElementCodecFor(t, e)), isEnumerated: true)!);

    // In that library numbers are written one by one: only an array of bytes is a blob.
    private FieldCodec ElementCodecFor(Type container, Type element) =>
        container == typeof(byte[]) ? Models.CodecFor(element) : CodecFor(element).ElementWise();
}
