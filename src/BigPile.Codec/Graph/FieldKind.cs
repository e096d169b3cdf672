namespace BigPile.Codec.Graph;

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
