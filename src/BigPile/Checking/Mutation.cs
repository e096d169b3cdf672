using BigPile.Memory.Checking;

namespace BigPile.Checking;

/// <summary>
/// Mistakes in the pile and its tables that tests plant, and must detect: wrong orders of stores, and checks of reads left out.
/// </summary>
internal static class Mutation
{
    /// <summary>Publish a header before the payload is written.</summary>
    internal static bool HeaderFirst => Mutations.IsPlanted("header-first");

    /// <summary>Free a link's target while the link points to it.</summary>
    internal static bool TargetFreedFirst => Mutations.IsPlanted("target-freed-first");

    /// <summary>Free a table's old entry after another thread may have removed the new one.</summary>
    internal static bool FreedOutsideLock => Mutations.IsPlanted("freed-outside-lock");

    /// <summary>Continue from the highest version that is live.</summary>
    internal static bool VersionFromLive => Mutations.IsPlanted("version-from-live");

    /// <summary>Lay out a used page without clearing the headers of its slots.</summary>
    internal static bool SlotsUncleared => Mutations.IsPlanted("slots-uncleared");

    /// <summary>Overwrite a payload in place without a redo record.</summary>
    internal static bool InPlaceWithoutRedo => Mutations.IsPlanted("in-place-without-redo");

    /// <summary>Free a payload that compaction moves before its copy is live.</summary>
    internal static bool CompactedFreedFirst => Mutations.IsPlanted("compacted-freed-first");

    /// <summary>Reuse the memory of a freed block while it is leased.</summary>
    internal static bool LeaseIgnored => Mutations.IsPlanted("lease-ignored");

    /// <summary>Remove a segment's file while the superblock lists it.</summary>
    internal static bool SegmentRemovedFirst => Mutations.IsPlanted("segment-removed-first");

    /// <summary>Make a redo record valid before it holds the bytes.</summary>
    internal static bool RedoValidFirst => Mutations.IsPlanted("redo-valid-first");

    /// <summary>Keep orphans.</summary>
    internal static bool OrphansKept => Mutations.IsPlanted("orphans-kept");

    /// <summary>Free an entry that was used before its copy is live.</summary>
    internal static bool RenewedFreedFirst => Mutations.IsPlanted("renewed-freed-first");

    /// <summary>Delete the object that a table's old entry owns while the entry is live.</summary>
    internal static bool OwnedFreedFirst => Mutations.IsPlanted("owned-freed-first");

    /// <summary>Delete the object that an entry owned after the entry is free.</summary>
    internal static bool OwnedFreedLast => Mutations.IsPlanted("owned-freed-last");

    /// <summary>Keep the object that an entry owned.</summary>
    internal static bool OwnedKept => Mutations.IsPlanted("owned-kept");

    /// <summary>Publish an externalized value before its entry points to it.</summary>
    internal static bool ObjectBeforeEntry => Mutations.IsPlanted("object-before-entry");

    /// <summary>Free a tag's old mark before its new one is live.</summary>
    internal static bool MarkFreedFirst => Mutations.IsPlanted("mark-freed-first");

    /// <summary>Clear a table entry by entry, without a mark that clears all at once.</summary>
    internal static bool ClearUnmarked => Mutations.IsPlanted("clear-unmarked");

    /// <summary>Clear a split bucket before its level says that it is split.</summary>
    internal static bool SplitUnmarked => Mutations.IsPlanted("split-unmarked");

    /// <summary>Point an index slot to an entry that is not live yet.</summary>
    internal static bool SlotFirst => Mutations.IsPlanted("slot-first");

    /// <summary>Free an entry while the index points to it.</summary>
    internal static bool FreedFirst => Mutations.IsPlanted("freed-first");

    /// <summary>Do not complete a split, an overflow line or a change that a killed process had begun.</summary>
    internal static bool LeftUnfinished => Mutations.IsPlanted("left-unfinished");

    /// <summary>Have a flush copy a block as it is by now, though it was deleted behind the snapshot.</summary>
    internal static bool CopiedNotUndone => Mutations.IsPlanted("copied-not-undone");

    /// <summary>Read at an address where no slot begins.</summary>
    internal static bool SlotNotChecked => Mutations.IsPlanted("slot-not-checked");

    /// <summary>Trust a read of a block without loading header and page info again.</summary>
    internal static bool HeaderNotLoadedAgain => Mutations.IsPlanted("header-not-loaded-again");

    /// <summary>Trust a search without loading the index slot again.</summary>
    internal static bool IndexSlotNotLoadedAgain => Mutations.IsPlanted("index-slot-not-loaded-again");

    /// <summary>Take an entry with the key's tag for the key's.</summary>
    internal static bool KeyNotCompared => Mutations.IsPlanted("key-not-compared");

    /// <summary>Move an entry to an earlier line of its bucket without a word to those who search.</summary>
    internal static bool MoveNotCounted => Mutations.IsPlanted("move-not-counted");

    /// <summary>Trust a miss without loading the bucket's state again.</summary>
    internal static bool BucketStateNotLoadedAgain => Mutations.IsPlanted("bucket-state-not-loaded-again");

    /// <summary>Say that a change is under way after its version was drawn.</summary>
    internal static bool FeedInFlightLate => Mutations.IsPlanted("feed-in-flight-late");

    /// <summary>Append a change's record after its lane says that nothing is under way.</summary>
    internal static bool FeedRecordLate => Mutations.IsPlanted("feed-record-late");

    /// <summary>Read the feed up to the last version, whatever is under way.</summary>
    internal static bool FeedWithoutWatermark => Mutations.IsPlanted("feed-without-watermark");

    /// <summary>Load the watermark of a walk after its first bucket.</summary>
    internal static bool FeedWatermarkLate => Mutations.IsPlanted("feed-watermark-late");

    /// <summary>Use a chunk of the feed anew before the floor says so.</summary>
    internal static bool FeedFloorLate => Mutations.IsPlanted("feed-floor-late");

    /// <summary>Keep the record of a change that a kill has undone.</summary>
    internal static bool FeedUndoneKept => Mutations.IsPlanted("feed-undone-kept");
}
