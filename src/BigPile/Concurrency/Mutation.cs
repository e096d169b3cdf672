#if TORTURE
using System;
#endif

namespace BigPile.Concurrency;

/// <summary>Wrong orders of stores that the kill test must catch. Outside of it each is false, and the compiler drops its branch.</summary>
internal static class Mutation
{
    /// <summary>Publish a header before the payload is written.</summary>
    internal static bool HeaderFirst => IsOn("header-first");

    /// <summary>Free a link's target while the origin leads to it.</summary>
    internal static bool TargetFreedFirst => IsOn("target-freed-first");

    /// <summary>Free a table's old entry after another thread may have removed the new one.</summary>
    internal static bool FreedOutsideLock => IsOn("freed-outside-lock");

    /// <summary>Go on from the highest version that is alive.</summary>
    internal static bool VersionFromLive => IsOn("version-from-live");

    /// <summary>Lay out a used page without clearing the headers of its slots.</summary>
    internal static bool SlotsUncleared => IsOn("slots-uncleared");

    /// <summary>Overwrite a payload in place with nothing to restore it from.</summary>
    internal static bool InPlaceWithoutRedo => IsOn("in-place-without-redo");

    /// <summary>Free a payload that a compaction moves before it lies elsewhere.</summary>
    internal static bool CompactedFreedFirst => IsOn("compacted-freed-first");

    /// <summary>Use the room of a freed block again while it is leased.</summary>
    internal static bool LeaseIgnored => IsOn("lease-ignored");

    /// <summary>Remove a segment's file while the superblock lists it.</summary>
    internal static bool SegmentRemovedFirst => IsOn("segment-removed-first");

    /// <summary>Let a redo record count before it holds the bytes.</summary>
    internal static bool RedoValidFirst => IsOn("redo-valid-first");

    /// <summary>Keep a payload that nothing leads to.</summary>
    internal static bool OrphansKept => IsOn("orphans-kept");

    /// <summary>Free an entry that was used before its copy is live.</summary>
    internal static bool RenewedFreedFirst => IsOn("renewed-freed-first");

    /// <summary>Delete the object that a table's old entry owns while the entry still counts.</summary>
    internal static bool OwnedFreedFirst => IsOn("owned-freed-first");

    /// <summary>Delete the object that an entry owned once the entry is free.</summary>
    internal static bool OwnedFreedLast => IsOn("owned-freed-last");

    /// <summary>Keep the object that an entry owned.</summary>
    internal static bool OwnedKept => IsOn("owned-kept");

    /// <summary>Publish the object that a value is moved out to before an entry leads to it.</summary>
    internal static bool ObjectBeforeEntry => IsOn("object-before-entry");

    /// <summary>Free a tag's old mark before its new one is live.</summary>
    internal static bool MarkFreedFirst => IsOn("mark-freed-first");

    /// <summary>Clear a table entry by entry, without a mark that says so of all at once.</summary>
    internal static bool ClearUnmarked => IsOn("clear-unmarked");

    /// <summary>Clear a bucket that is split before its level says so.</summary>
    internal static bool SplitUnmarked => IsOn("split-unmarked");

    /// <summary>Have an index lead to an entry that is not live yet.</summary>
    internal static bool SlotFirst => IsOn("slot-first");

    /// <summary>Free an entry while the index leads to it.</summary>
    internal static bool FreedFirst => IsOn("freed-first");

    /// <summary>Leave a split, a line or a change that a killed process was at as it is.</summary>
    internal static bool LeftUnfinished => IsOn("left-unfinished");

#if TORTURE
    private static readonly string? Control = Environment.GetEnvironmentVariable("BIGPILE_TORTURE_CONTROL");

    private static bool IsOn(string control) => Control == control;
#else
    private static bool IsOn(string control) => false;
#endif
}
