namespace BigPile.AspNetCore.Hybrid;

/// <summary>What an encoded value is. The numbers are stored in a second level: append only.</summary>
internal enum ValueKind : byte
{
    Null = 0,
    String = PayloadKind.String,
    Bytes = PayloadKind.Bytes,
    Object = PayloadKind.Object,

    /// <summary>Text with lone surrogates, which UTF-8 can't represent.</summary>
    Utf16String = 7,
}
