using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Runtime.CompilerServices;

namespace BigPile.Codec;

/// <summary>The slots of members of contract types: in the forms that MessagePack-CSharp gives them.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ContractSlots(ModelCache models)
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
    };

    private static readonly Type[] ArrayInterfaces = [typeof(IEnumerable<>), typeof(IReadOnlyList<>), typeof(IReadOnlyCollection<>)];

    private readonly ConditionalWeakTable<Type, TypeModel> _containers = [];

    /// <summary>The leaves whose form differs from the pile's own.</summary>
    public static IReadOnlyDictionary<Type, Slot> OwnLeaves => Leaves;

    public Slot SlotFor(Type declared)
    {
        if (Leaves.TryGetValue(declared, out Slot? leaf))
            return leaf;
        if (Nullable.GetUnderlyingType(declared) is { } inner)
            return ModelFactory.MakeNullable(inner, SlotFor(inner));
        if (declared.IsConstructedGenericType && declared.GetGenericTypeDefinition() == typeof(ImmutableArray<>))
            return SlotFor(declared.GetGenericArguments()[0].MakeArrayType());
        Type exact = ClassOf(declared);
        return ModelFactory.IsContainer(exact) && !exact.IsAbstract
            ? new ReferenceSlot(declared, models, () => Container(exact), exact)
            : models.SlotFor(declared);
    }

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
        : _containers.GetValue(type, t => models.Factory.MakeContainer(t, Array.ConvertAll(ModelFactory.ElementTypes(t), e => ElementSlotFor(t, e)))!);

    // Numbers stand one by one there; only an array of bytes is in one piece.
    private Slot ElementSlotFor(Type container, Type element) =>
        container == typeof(byte[]) ? models.SlotFor(element) : SlotFor(element).OneByOne();
}
