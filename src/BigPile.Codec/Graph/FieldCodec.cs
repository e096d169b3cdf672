using BigPile.Codec.Schema;

namespace BigPile.Codec.Graph;

/// <summary>Writes and reads values of one declared type: a field, an element of a collection, the content of a box.</summary>
/// <remarks>
/// A value is passed as a reference to its first byte. The caller guarantees that the value's type is the codec's; nothing checks it.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal abstract unsafe class FieldCodec
{
    /// <summary>The kind, by which interpreter and generated code replace the virtual call with inlined code.</summary>
    public virtual FieldKind Kind => FieldKind.Other;

    /// <summary>The name in schema definitions, if the type has no entry of its own there.</summary>
    public virtual string? LeafName => null;

    /// <summary>Values hold no references, so nothing in them can be shared.</summary>
    public virtual bool IsLeaf => true;

    /// <summary>The fewest bytes of one value in a payload. A reader limits its allocations by it.</summary>
    public virtual int LeastBytes => 1;

    public abstract byte* Write(ref byte field, byte* p, WriteContext c);

    public abstract byte* Read(ref byte field, byte* p, ReadContext c);

    /// <summary>The same codec for elements that must be written one by one, and not as a blob.</summary>
    public virtual FieldCodec ElementWise() => this;

    /// <summary>Appends the value's kind to a schema's definition.</summary>
    public abstract void Describe(DefinitionWriter definition);

    /// <summary>Visits the types that a value can refer to.</summary>
    public virtual void Analyze(SharingAnalysis analysis)
    {
    }
}

/// <summary>The kinds of fields that interpreter and generated code handle without a virtual call.</summary>
/// <remarks>The numbers of the primitives are part of the file format: the extension code of a primitive array is made from them.</remarks>
internal enum FieldKind
{
    Other = 0,
    Boolean = 1,
    SByte = 2,
    Int16 = 3,
    UInt16 = 4,
    Int32 = 5,
    UInt32 = 6,
    Int64 = 7,
    UInt64 = 8,
    Single = 9,
    Double = 10,
    Char = 11,
    Byte = 12,
    Half = 13,
    DateTime = 14,
    String = 15,
    Reference = 16,
}
