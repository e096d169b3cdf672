namespace BigPile.Http.Protocol;

/// <summary>Why bytes are not a valid key.</summary>
internal enum KeyError
{
    None,
    Empty,
    TooLong,
    InvalidEscape,
    InvalidUtf8,
    HasNul,
    HasDotSegment,
}
