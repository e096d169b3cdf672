namespace BigPile.Caching;

/// <summary>The worth of an entry when entries are evicted; within one priority, use decides.</summary>
public enum EntryPriority : byte
{
    /// <summary>Evicted first.</summary>
    Low = 0,

    /// <summary>The default.</summary>
    Normal = 1,

    /// <summary>Evicted when no entry of lower priority is left.</summary>
    High = 2,

    /// <summary>Leaves by removal or expiry only.</summary>
    NeverEvict = 3,
}
