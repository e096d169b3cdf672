using System.Linq;
using BigPile.Concurrency;
using BigPile.Hash;
using BigPile.Torture.Hash;

namespace BigPile.Torture;

/// <summary>A wrong order of stores that the run must catch: the target that takes it, and the window in which a kill shows it.</summary>
internal sealed record Control(string Name, string Target, KillWindow Window)
{
    private const string Pile = TortureOptions.PileTarget;
    private const string Table = TortureOptions.TableTarget;

    private const string Hash = TortureOptions.HashTarget;

    private static readonly Control[] All =
    [
        new("header-first", "", KillWindow.PutHalfOfPayload),
        new("target-freed-first", Pile, KillWindow.LinkBeforeSwing),
        new("slots-uncleared", Pile, KillWindow.PageBeforeWord),
        new("in-place-without-redo", Pile, KillWindow.ReplaceHalfOfPayload),
        new("redo-valid-first", Pile, KillWindow.RedoBeforeFilled),
        new("compacted-freed-first", Pile, KillWindow.LinkBeforeSwing),
        new("lease-ignored", Pile, KillWindow.LeaseBeforeGivenBack),
        new("segment-removed-first", Pile, KillWindow.SegmentBeforeStruck),
        new("orphans-kept", Pile, KillWindow.LinkBeforeSwing),
        new("freed-outside-lock", Table, KillWindow.EntryBeforeOldFreed),
        new("version-from-live", Table, KillWindow.PutHalfOfPayload),
        new("renewed-freed-first", Table, KillWindow.RenewalBeforePublish),
        new("owned-freed-first", Table, KillWindow.OwnedBeforeEntryFreed),
        new("owned-freed-last", Table, KillWindow.OwnedBeforeEntryFreed),
        new("owned-kept", Table, KillWindow.OwnedBeforeEntryFreed),
        new("object-before-entry", Table, KillWindow.MoveOutBeforeObject),
        new("mark-freed-first", Table, KillWindow.MarkBeforePublish),
        new("clear-unmarked", Table, KillWindow.ClearBeforeDropped),
        new("split-unmarked", Table, KillWindow.SplitBeforeRaised),
        new("slot-first", Table, KillWindow.PutBeforeHeader),
        new("freed-first", Table, KillWindow.RemoveBeforeFreed),
        new("left-unfinished", Table, KillWindow.EntryBeforeOldFreed),
        new("link-first", Hash, HashWindows.Of(HashWindow.Linked)),
        new("room-freed-first", Hash, HashWindows.Of(HashWindow.Marked)),
        new("unmarked", Hash, HashWindows.Of(HashWindow.Linked)),
    ];

    internal static string[] Names => [.. All.Select(static control => control.Name)];

    internal static KillWindow WindowOf(string name) => All.FirstOrDefault(control => control.Name == name)?.Window ?? KillWindow.None;
}
