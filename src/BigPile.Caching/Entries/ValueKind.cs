using BigPile.Layout;

namespace BigPile.Caching.Entries;

/// <summary>
/// The kind of an entry's value, three bits of its head. Values that the pile also stores as blocks have the number of the block's kind.
/// </summary>
internal enum ValueKind
{
    Null = BlockKind.Free,
    String = BlockKind.String,
    Bytes = BlockKind.Bytes,
    Object = BlockKind.Object,

    /// <summary>A pointer to an object of the pile. The entry owns the object.</summary>
    Pointer = 4,

    /// <summary>No value: the key was removed during a rebuild of the index, which may still find older blocks of it.</summary>
    Tombstone = 5,

    /// <summary>No value: the key is the hash of a tag, and entries with this tag and a lower version are dead.</summary>
    TagMark = 6,

    Utf16String = BlockKind.Utf16String,
}
