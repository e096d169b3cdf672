namespace BigPile.Caching;

/// <summary>What an entry is worth when another has to make room; within one priority the use of an entry decides.</summary>
public enum EntryPriority : byte
{
    /// <summary>Goes first.</summary>
    Low = 0,

    /// <summary>The default.</summary>
    Normal = 1,

    /// <summary>Goes when no entry of lower priority is left.</summary>
    High = 2,

    /// <summary>Is pinned: goes by removal or expiry only.</summary>
    NeverEvict = 3,
}
