using BigPile.Concurrency;

namespace BigPile.Torture;

/// <summary>Which windows a target passes, and which of them a control needs.</summary>
internal static class Windows
{
    private static readonly KillWindow[] OfPile =
    [
        KillWindow.PutHalfOfPayload, KillWindow.PutBeforeHeader, KillWindow.ReplaceHalfOfPayload, KillWindow.ReplaceBeforeHeader,
        KillWindow.RedoBeforeValid, KillWindow.RedoBeforeIdle,
        KillWindow.LinkBeforeSwing, KillWindow.LinkBeforeOldTargetFreed, KillWindow.DeleteBeforeTargetFreed,
        KillWindow.FreedBeforeReturned, KillWindow.PageBeforeSlotsCleared, KillWindow.PageBeforeWord, KillWindow.PageBeforeUnused,
        KillWindow.RunBeforeFirstPage, KillWindow.RunBeforeCut, KillWindow.RunBeforeTailsFreed,
        KillWindow.SegmentBeforeListed, KillWindow.SegmentBeforeUse, KillWindow.SegmentBeforeRemoved,
    ];

    private static readonly KillWindow[] OfTable =
    [
        KillWindow.PutHalfOfPayload, KillWindow.PutBeforeHeader, KillWindow.FreedBeforeReturned, KillWindow.PageBeforeSlotsCleared,
        KillWindow.PageBeforeWord, KillWindow.PageBeforeUnused, KillWindow.RunBeforeFirstPage, KillWindow.EntryBeforeSwing,
        KillWindow.EntryBeforeOldFreed, KillWindow.RemoveBeforeFreed, KillWindow.VersionsReservedBeforeUse,
    ];

    /// <summary>The window that a child favours.</summary>
    internal static KillWindow Choose(string target, string control, Dice dice)
    {
        KillWindow[] all = target == TortureOptions.TableTarget ? OfTable : OfPile;
        KillWindow ofControl = OfControl(control);
        return ofControl != KillWindow.None && !dice.OneIn(4) ? ofControl : all[dice.Next(all.Length)];
    }

    private static KillWindow OfControl(string control) => control switch
    {
        "header-first" => KillWindow.PutHalfOfPayload,
        "target-freed-first" => KillWindow.LinkBeforeSwing,
        "freed-outside-lock" => KillWindow.EntryBeforeOldFreed,
        "version-from-live" => KillWindow.PutHalfOfPayload,
        "slots-uncleared" => KillWindow.PageBeforeWord,
        "in-place-without-redo" => KillWindow.ReplaceHalfOfPayload,
        _ => KillWindow.None,
    };
}
