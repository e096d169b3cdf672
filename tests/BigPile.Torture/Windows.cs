using System.Linq;
using BigPile.Concurrency;
using BigPile.Torture.Hash;

namespace BigPile.Torture;

/// <summary>Which windows a target passes.</summary>
internal static class Windows
{
    private static readonly KillWindow[] OfBoth =
    [
        KillWindow.PutHalfOfPayload, KillWindow.PutBeforeHeader, KillWindow.FreedBeforeReturned, KillWindow.PageBeforeSlotsCleared,
        KillWindow.PageBeforeWord, KillWindow.PageBeforeUnused, KillWindow.RunBeforeFirstPage, KillWindow.SegmentBeforeListed,
        KillWindow.SegmentBeforeUse, KillWindow.SegmentBeforeStruck, KillWindow.SegmentBeforeRemoved,
        KillWindow.FlushBeforeBatch, KillWindow.FlushBeforeEpoch, KillWindow.SuperblockBetweenPlaces, KillWindow.CatalogBeforeUse,
        KillWindow.RecoveryBeforeRedoIdle, KillWindow.RecoveryBeforeOpened, KillWindow.LeaseBeforeGivenBack,
    ];

    private static readonly KillWindow[] OfPile =
    [
        .. OfBoth,
        KillWindow.ReplaceHalfOfPayload, KillWindow.ReplaceBeforeHeader, KillWindow.RedoBeforeFilled, KillWindow.RedoBeforeValid,
        KillWindow.RedoBeforeIdle, KillWindow.LinkBeforeSwing, KillWindow.LinkBeforeOldTargetFreed, KillWindow.DeleteBeforeTargetFreed,
        KillWindow.RunBeforeCut, KillWindow.RunBeforeTailsFreed, KillWindow.CompactBeforeOldTargetFreed, KillWindow.RawBetweenPieces,
        KillWindow.ShadowBeforeValid, KillWindow.ShadowBeforeRemoved,
    ];

    private static readonly KillWindow[] OfTable =
    [
        .. OfBoth,
        KillWindow.EntryBeforeSwing, KillWindow.EntryBeforeOldFreed, KillWindow.OwnedBeforeEntryFreed, KillWindow.RemoveBeforeFreed,
        KillWindow.MoveOutBeforeEntry, KillWindow.MoveOutBeforeObject, KillWindow.VersionsReservedBeforeUse,
        KillWindow.RenewalBeforePublish,
        KillWindow.RenewalBeforeSwing, KillWindow.RenewalBeforeOldFreed, KillWindow.TagBetweenMarks, KillWindow.MarkBeforePublish,
        KillWindow.MarkBeforeOldFreed, KillWindow.ClearBeforeDropped, KillWindow.ClearBeforeMarkFreed, KillWindow.RebuildBeforeOldFreed,
        KillWindow.LineOnItsWay, KillWindow.SplitBeforeRaised, KillWindow.SplitBetweenCleared, KillWindow.SplitBetweenBroughtForward,
        KillWindow.SplitBeforeEnded, KillWindow.SplitBeforeCounted, KillWindow.ChangeNoted, KillWindow.ChangeBeforeDone,
        KillWindow.TableBeforeListed, KillWindow.DropBeforeFiles,
    ];

    private static readonly KillWindow[] OfRecovery =
    [
        KillWindow.RecoveryBeforeRedoIdle, KillWindow.RecoveryBeforeOpened, KillWindow.ReplayBetweenRecords,
        KillWindow.SuperblockBetweenPlaces, KillWindow.RebuildBeforeOldFreed, KillWindow.PageBeforeUnused, KillWindow.RecoveredBeforeStated,
        KillWindow.ChangeRecovered,
    ];

    /// <summary>The names of a target's windows.</summary>
    internal static string[] Of(string? target) =>
        [.. HashWindows.NamesOf(AllOf(target).Concat(RecoveryOf(target)))];

    /// <summary>The window that a child favours.</summary>
    internal static KillWindow Choose(TortureOptions options, bool inOpening, Dice dice)
    {
        KillWindow asked = options.Window.Length != 0 ? HashWindows.Parse(options.Window) : Control.WindowOf(options.ControlName);
        if (asked != KillWindow.None && !dice.OneIn(4))
            return asked;
        KillWindow[] all = inOpening ? RecoveryOf(options.Target) : AllOf(options.Target);
        return all[dice.Next(all.Length)];
    }

    private static KillWindow[] AllOf(string? target) => target switch
    {
        TortureOptions.TableTarget => OfTable,
        TortureOptions.HashTarget => HashWindows.OfWork,
        _ => OfPile,
    };

    private static KillWindow[] RecoveryOf(string? target) =>
        target == TortureOptions.HashTarget ? HashWindows.OfRecovery : OfRecovery;
}
