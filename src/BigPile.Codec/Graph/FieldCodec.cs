using BigPile.Codec.Schema;

namespace BigPile.Codec.Graph;

/// <summary>How a place of one declared type is written and read: a field, an element, the content of a box.</summary>
/// <remarks>A place is passed as a reference to its first byte; the caller has made sure that its type is the slot's.</remarks>
internal abstract unsafe class FieldCodec
{
    /// <summary>What interpreter and generated code may do instead of a virtual call.</summary>
    public virtual FieldKind Kind => FieldKind.Other;

    /// <summary>The name in definitions of a kind that is no type with members.</summary>
    public virtual string? LeafName => null;

    /// <summary>No object hangs on such a place, so nothing in it can be shared.</summary>
    public virtual bool IsLeaf => true;

    /// <summary>The fewest bytes that one such place takes in a payload.</summary>
    public virtual int LeastBytes => 1;

    public abstract byte* Write(ref byte field, byte* p, WriteContext c);

    public abstract byte* Read(ref byte field, byte* p, ReadContext c);

    /// <summary>The same slot for elements that must not be stored in one piece.</summary>
    public virtual FieldCodec ElementWise() => this;

    /// <summary>Appends the kind to a schema's definition.</summary>
    public abstract void Describe(DefinitionWriter definition);

    /// <summary>Follows the places that the object graph reaches from here.</summary>
    public virtual void Analyze(SharingAnalysis analysis)
    {
    }
}
