using BigPile.Layout;

namespace BigPile.Caching.Entries;

/// <summary>
/// What the value of an entry is, in three bits of its head. What a value of the pile can be has the number of its block's kind.
/// </summary>
internal enum ValueKind
{
    Null = BlockKind.Free,
    String = BlockKind.String,
    Bytes = BlockKind.Bytes,
    Object = BlockKind.Object,

    /// <summary>A pointer to an object of the pile that the entry owns.</summary>
    Pointer = 4,

    /// <summary>No value: the key was removed while the index was being rebuilt, and older blocks of it may still turn up.</summary>
    Tombstone = 5,

    /// <summary>No value: the key is a tag, and entries with this tag that are older than this are no more.</summary>
    TagMark = 6,

    Utf16String = BlockKind.Utf16String,
}
