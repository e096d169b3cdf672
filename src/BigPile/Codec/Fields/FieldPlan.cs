namespace BigPile.Codec;

/// <summary>One step in writing or reading an object's fields.</summary>
internal readonly struct FieldPlan(string name, int offsetBytes, Slot slot)
{
    public readonly SlotKind Kind = slot.Kind;

    /// <summary>Where the field lies in its object; <see cref="Absent"/> when the type has no such field any more.</summary>
    public readonly int OffsetBytes = offsetBytes;

    public readonly Slot Slot = slot;

    public readonly string Name = name;

    /// <summary>The offset of a stored member that is read and thrown away.</summary>
    public const int Absent = -1;
}
