#if TORTURE
using System;
#endif

namespace BigPile.Concurrency;

/// <summary>
/// Mutations: wrong orders of stores that the kill test must detect. Elsewhere each is false, and the compiler drops its branch.
/// </summary>
internal static class Mutation
{
    /// <summary>Publish a header before the payload is written.</summary>
    internal static bool HeaderFirst => IsOn("header-first");

    /// <summary>Free a link's target while the link points to it.</summary>
    internal static bool TargetFreedFirst => IsOn("target-freed-first");

    /// <summary>Free a table's old entry after another thread may have removed the new one.</summary>
    internal static bool FreedOutsideLock => IsOn("freed-outside-lock");

    /// <summary>Continue from the highest version that is live.</summary>
    internal static bool VersionFromLive => IsOn("version-from-live");

    /// <summary>Lay out a used page without clearing the headers of its slots.</summary>
    internal static bool SlotsUncleared => IsOn("slots-uncleared");

    /// <summary>Overwrite a payload in place without a redo record.</summary>
    internal static bool InPlaceWithoutRedo => IsOn("in-place-without-redo");

    /// <summary>Free a payload that compaction moves before its copy is live.</summary>
    internal static bool CompactedFreedFirst => IsOn("compacted-freed-first");

    /// <summary>Reuse the memory of a freed block while it is leased.</summary>
    internal static bool LeaseIgnored => IsOn("lease-ignored");

    /// <summary>Remove a segment's file while the superblock lists it.</summary>
    internal static bool SegmentRemovedFirst => IsOn("segment-removed-first");

    /// <summary>Make a redo record valid before it holds the bytes.</summary>
    internal static bool RedoValidFirst => IsOn("redo-valid-first");

    /// <summary>Keep orphans.</summary>
    internal static bool OrphansKept => IsOn("orphans-kept");

    /// <summary>Free an entry that was used before its copy is live.</summary>
    internal static bool RenewedFreedFirst => IsOn("renewed-freed-first");

    /// <summary>Delete the object that a table's old entry owns while the entry is live.</summary>
    internal static bool OwnedFreedFirst => IsOn("owned-freed-first");

    /// <summary>Delete the object that an entry owned after the entry is free.</summary>
    internal static bool OwnedFreedLast => IsOn("owned-freed-last");

    /// <summary>Keep the object that an entry owned.</summary>
    internal static bool OwnedKept => IsOn("owned-kept");

    /// <summary>Publish an externalized value before its entry points to it.</summary>
    internal static bool ObjectBeforeEntry => IsOn("object-before-entry");

    /// <summary>Free a tag's old mark before its new one is live.</summary>
    internal static bool MarkFreedFirst => IsOn("mark-freed-first");

    /// <summary>Clear a table entry by entry, without a mark that clears all at once.</summary>
    internal static bool ClearUnmarked => IsOn("clear-unmarked");

    /// <summary>Clear a split bucket before its level says that it is split.</summary>
    internal static bool SplitUnmarked => IsOn("split-unmarked");

    /// <summary>Point an index slot to an entry that is not live yet.</summary>
    internal static bool SlotFirst => IsOn("slot-first");

    /// <summary>Free an entry while the index points to it.</summary>
    internal static bool FreedFirst => IsOn("freed-first");

    /// <summary>Do not complete a split, an overflow line or a change that a killed process had begun.</summary>
    internal static bool LeftUnfinished => IsOn("left-unfinished");

#if TORTURE
    private static readonly string? Control = Environment.GetEnvironmentVariable("BIGPILE_TORTURE_CONTROL");

    private static bool IsOn(string control) => Control == control;
#else
    private static bool IsOn(string control) => false;
#endif
}
