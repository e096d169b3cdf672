using System.Linq;
using BigPile.Checking;
using BigPile.Hash.Checking;
using BigPile.Torture.Hash;

namespace BigPile.Torture;

/// <summary>A wrong order of stores that the run must catch: the target that takes it, and the window in which a kill shows it.</summary>
internal sealed record Control(string Name, string Target, CrashPoint Point)
{
    private const string Pile = TortureOptions.PileTarget;
    private const string Table = TortureOptions.TableTarget;

    private const string Hash = TortureOptions.HashTarget;

    private static readonly Control[] All =
    [
        new("header-first", "", CrashPoint.PutHalfOfPayload),
        new("target-freed-first", Pile, CrashPoint.LinkBeforeSwap),
        new("slots-uncleared", Pile, CrashPoint.PageBeforeWord),
        new("in-place-without-redo", Pile, CrashPoint.ReplaceHalfOfPayload),
        new("redo-valid-first", Pile, CrashPoint.RedoBeforeFilled),
        new("compacted-freed-first", Pile, CrashPoint.LinkBeforeSwap),
        new("lease-ignored", Pile, CrashPoint.LeaseBeforeGivenBack),
        new("segment-removed-first", Pile, CrashPoint.SegmentBeforeStruck),
        new("orphans-kept", Pile, CrashPoint.LinkBeforeSwap),
        new("freed-outside-lock", Table, CrashPoint.EntryBeforeOldFreed),
        new("version-from-live", Table, CrashPoint.PutHalfOfPayload),
        new("renewed-freed-first", Table, CrashPoint.RenewalBeforePublish),
        new("owned-freed-first", Table, CrashPoint.OwnedBeforeEntryFreed),
        new("owned-freed-last", Table, CrashPoint.OwnedBeforeEntryFreed),
        new("owned-kept", Table, CrashPoint.OwnedBeforeEntryFreed),
        new("object-before-entry", Table, CrashPoint.ExternalizeBeforeObject),
        new("mark-freed-first", Table, CrashPoint.MarkBeforePublish),
        new("clear-unmarked", Table, CrashPoint.ClearBeforeDropped),
        new("split-unmarked", Table, CrashPoint.SplitBeforeRaised),
        new("slot-first", Table, CrashPoint.PutBeforeHeader),
        new("freed-first", Table, CrashPoint.RemoveBeforeFreed),
        new("left-unfinished", Table, CrashPoint.EntryBeforeOldFreed),
        new("feed-undone-kept", Table, CrashPoint.FeedBeforeChange),
        new("link-first", Hash, HashCrashPoints.Of(HashCrashPoint.Linked)),
        new("extent-freed-first", Hash, HashCrashPoints.Of(HashCrashPoint.Marked)),
        new("no-marks", Hash, HashCrashPoints.Of(HashCrashPoint.Linked)),
    ];

    internal static string[] Names => [.. All.Select(static control => control.Name)];

    internal static CrashPoint CrashPointOf(string name) => All.FirstOrDefault(control => control.Name == name)?.Point ?? CrashPoint.None;
}
