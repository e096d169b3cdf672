namespace BigPile.Codec;

/// <summary>One step in writing or reading an object's fields.</summary>
internal readonly struct FieldPlan(string name, int offsetBytes, Slot slot)
{
    public readonly SlotKind Kind = slot.Kind;

    public readonly int OffsetBytes = offsetBytes;

    public readonly Slot Slot = slot;

    public readonly string Name = name;
}
