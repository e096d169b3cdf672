namespace BigPile.Http.Protocol;

/// <summary>Why something is no key.</summary>
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
