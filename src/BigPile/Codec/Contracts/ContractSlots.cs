using System;
using System.Collections.Generic;
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

    private readonly ConditionalWeakTable<Type, TypeModel> _containers = [];

    /// <summary>The leaves whose form differs from the pile's own.</summary>
    public static IReadOnlyDictionary<Type, Slot> OwnLeaves => Leaves;

    public Slot SlotFor(Type declared)
    {
        if (Leaves.TryGetValue(declared, out Slot? leaf))
            return leaf;
        if (Nullable.GetUnderlyingType(declared) is { } inner)
            return ModelFactory.MakeNullable(inner, SlotFor(inner));
        return ModelFactory.IsContainer(declared) && !declared.IsAbstract
            ? new ReferenceSlot(declared, models, () => Container(declared))
            : models.SlotFor(declared);
    }

    private TypeModel Container(Type type) => _containers.TryGetValue(type, out TypeModel? model)
        ? model
        : _containers.GetValue(type, t => models.Factory.MakeContainer(t, Array.ConvertAll(ModelFactory.ElementTypes(t), ElementSlotFor))!);

    // Numbers stand one by one there; only bytes are in one piece.
    private Slot ElementSlotFor(Type type) => type == typeof(byte) ? models.SlotFor(type) : SlotFor(type).OneByOne();
}
