using System;

namespace BigPile.Caching.Tests.Durability;

/// <summary>What a run does beside putting new keys and flushing.</summary>
[Flags]
internal enum TableOperations
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Put keys that are there.</summary>
    Replace = 1 << 0,

    /// <summary>Remove keys.</summary>
    Remove = 1 << 1,

    /// <summary>Read entries that live longer for it.</summary>
    Sliding = 1 << 2,

    /// <summary>Let entries expire, and sweep.</summary>
    Expire = 1 << 3,

    /// <summary>Put more than a table may hold.</summary>
    Evict = 1 << 4,

    /// <summary>Remove by tag, and sweep.</summary>
    RemoveByTag = 1 << 5,

    /// <summary>Clear a table.</summary>
    Clear = 1 << 6,

    /// <summary>Put objects of the pile as values, and move values out to objects of their own.</summary>
    Pointer = 1 << 7,

    /// <summary>Make tables.</summary>
    Create = 1 << 8,

    /// <summary>Compact the pile.</summary>
    Compact = 1 << 9,

    /// <summary>Give empty segments back.</summary>
    Trim = 1 << 10,

    /// <summary>Close and open.</summary>
    Restart = 1 << 11,

    /// <summary>Kill, and open during the same start of the machine.</summary>
    Kill = 1 << 12,

    /// <summary>Kill, and open during another start of the machine.</summary>
    OtherBoot = 1 << 13,

    /// <summary>Go on with what a power cut left.</summary>
    PowerCut = 1 << 14,

    /// <summary>Use tables while their indexes are built anew.</summary>
    WhileRebuilding = 1 << 15,

    /// <summary>Let the device refuse a part of a flush.</summary>
    Refuse = 1 << 16,

    /// <summary>Drop a table, and make it anew.</summary>
    Drop = 1 << 17,

    /// <summary>Flush and close while the disk is too full for a log.</summary>
    FullDisk = 1 << 18,

    /// <summary>Follow a table's changes.</summary>
    Feed = 1 << 19,

    /// <summary>Everything.</summary>
    All = (1 << 20) - 1,
}
