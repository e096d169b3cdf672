using BigPile.Memory.Checking;

namespace BigPile.Hash.Checking;

/// <summary>Mistakes that tests plant, and must detect; elsewhere each is false, and the compiler drops its branch.</summary>
internal static class HashMutation
{
    /// <summary>The link is stored before the record that it leads to.</summary>
    internal static bool LinkFirst => Mutations.IsPlanted("link-first");

    /// <summary>The extent of a replaced record is freed before the new record is stored.</summary>
    internal static bool ExtentFreedFirst => Mutations.IsPlanted("extent-freed-first");

    /// <summary>The extent of a hard-synchronized record is reused at once.</summary>
    internal static bool NothingDeferred => Mutations.IsPlanted("nothing-deferred");

    /// <summary>A removal leaves no tombstone.</summary>
    internal static bool NoTombstones => Mutations.IsPlanted("no-tombstones");

    /// <summary>A removed record is not marked dead.</summary>
    internal static bool NoMarks => Mutations.IsPlanted("no-marks");

    /// <summary>Readers do not check whether their stripe has changed during the read.</summary>
    internal static bool ReadersDoNotValidate => Mutations.IsPlanted("readers-do-not-validate");
}
