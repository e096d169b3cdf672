namespace BigPile.Layout;

/// <summary>The kinds of block, stored in three bits of the header. Free is zero, so that untouched memory is free slots.</summary>
internal enum BlockKind
{
    Free = 0,
    String = 1,
    Bytes = 2,
    Object = 3,
    Link = 4,
    LinkTarget = 5,
    TableEntry = 6,

    /// <summary>Text with lone surrogates, which UTF-8 can't represent.</summary>
    Utf16String = 7,
}
