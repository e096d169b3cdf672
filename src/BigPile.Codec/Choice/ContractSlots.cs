using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Runtime.CompilerServices;
using BigPile.Codec.Fields;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Models;
using BigPile.Codec.Slots;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Choice;

/// <summary>The slots of members of contract types: in the forms that MessagePack-CSharp gives them.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ContractSlots(ModelFactory factory, bool mayExtend)
{
    private static readonly Dictionary<Type, Slot> Leaves = new()
    {
        [typeof(decimal)] = new LeafSlot<decimal, DecimalTextFormat>("decimalText"),
        [typeof(Guid)] = new LeafSlot<Guid, GuidTextFormat>("guidText"),
        [typeof(DateTime)] = new LeafSlot<DateTime, TimestampFormat>("timestamp"),
        [typeof(Half)] = new LeafSlot<Half, HalfFloatFormat>("halfFloat"),
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

    /// <summary>The leaves whose form differs from the pile's own.</summary>
    public static IReadOnlyDictionary<Type, Slot> OwnLeaves => Leaves;

    /// <summary>Lets go of the containers' models, which refer to all others.</summary>
    public void Clear() => _containers.Clear();

    public Slot SlotFor(Type declared)
    {
        if (Leaves.TryGetValue(declared, out Slot? leaf))
            return factory.IsNormal ? NormalSlots.Of(declared, leaf) : leaf;
        if (Nullable.GetUnderlyingType(declared) is { } inner)
            return ModelFactory.MakeNullable(inner, SlotFor(inner));
        if (declared.IsConstructedGenericType && declared.GetGenericTypeDefinition() == typeof(ImmutableArray<>))
            return SlotFor(declared.GetGenericArguments()[0].MakeArrayType());
        Type exact = ClassOf(declared);
        if (ModelFactory.IsContainer(exact) && !exact.IsAbstract)
            return mayExtend || ContractForm.IsContainer(exact)
                ? new ReferenceSlot(declared, Models, () => Container(exact), exact)
                : Refuse(declared);
        if (ContractForm.IsTuple(declared) && factory.IsMadeOfFields(declared))
            return MakeTuple(declared);
        return mayExtend || ContractForm.IsValue(declared) || HasForm(declared) ? Models.SlotFor(declared) : Refuse(declared);
    }

    private static bool HasForm(Type declared) =>
        Contract.Of(declared) is not null || UnionSlot.ListOf(declared).Any();

    private static RefusedSlot Refuse(Type declared) => new(declared, PlainForm.WhyNot($"a member of type {declared}"));

    private Slot MakeTuple(Type type) => type.IsValueType
        ? new StructSlot(TupleFields(type))
        : new ReferenceSlot(type, Models, () => _containers.GetValue(type, t => new FieldsModel(t, TupleFields(t), Models)));

    private FieldList TupleFields(Type type) => new(
        type, [.. FieldListBuilder.FieldsOf(type).ConvertAll(field => FieldPlan.Of(field, SlotFor(field.ValueType), type))],
        Models.CodeGeneration);

    // The class that the library reads where an interface of a collection is declared. Objects of other classes are stored with their type.
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
            factory.MakeContainer(t, Array.ConvertAll(ModelFactory.ElementTypes(t), e => ElementSlotFor(t, e)), isEnumerated: true)!);

    // Numbers stand one by one there; only an array of bytes is in one piece.
    private Slot ElementSlotFor(Type container, Type element) =>
        container == typeof(byte[]) ? Models.SlotFor(element) : SlotFor(element).OneByOne();
}
