using System.Linq;
using BigPile.Checking;
using BigPile.Torture.Hash;

namespace BigPile.Torture;

/// <summary>Which windows a target passes.</summary>
internal static class TargetCrashPoints
{
    private static readonly CrashPoint[] OfBoth =
    [
        CrashPoint.PutHalfOfPayload, CrashPoint.PutBeforeHeader, CrashPoint.FreedBeforeReturned, CrashPoint.PageBeforeSlotsCleared,
        CrashPoint.PageBeforeWord, CrashPoint.PageBeforeUnused, CrashPoint.RunBeforeFirstPage, CrashPoint.SegmentBeforeListed,
        CrashPoint.SegmentBeforeUse, CrashPoint.SegmentBeforeStruck, CrashPoint.SegmentBeforeRemoved,
        CrashPoint.FlushBeforeCopy, CrashPoint.FlushBeforeBatch, CrashPoint.FlushBeforeEpoch, CrashPoint.SuperblockBetweenPlaces,
        CrashPoint.CatalogBeforeUse,
        CrashPoint.RecoveryBeforeRedoIdle, CrashPoint.RecoveryBeforeOpened, CrashPoint.LeaseBeforeGivenBack,
    ];

    private static readonly CrashPoint[] OfPile =
    [
        .. OfBoth,
        CrashPoint.ReplaceHalfOfPayload, CrashPoint.ReplaceBeforeHeader, CrashPoint.RedoBeforeFilled, CrashPoint.RedoBeforeValid,
        CrashPoint.RedoBeforeIdle, CrashPoint.LinkBeforeSwap, CrashPoint.LinkBeforeOldTargetFreed, CrashPoint.DeleteBeforeTargetFreed,
        CrashPoint.RunBeforeCut, CrashPoint.RunBeforeTailsFreed, CrashPoint.CompactBeforeOldTargetFreed, CrashPoint.WriteBetweenParts,
        CrashPoint.ShadowBeforeValid, CrashPoint.ShadowBeforeRemoved,
    ];

    private static readonly CrashPoint[] OfTable =
    [
        .. OfBoth,
        CrashPoint.EntryBeforeSwap, CrashPoint.EntryBeforeOldFreed, CrashPoint.OwnedBeforeEntryFreed, CrashPoint.RemoveBeforeFreed,
        CrashPoint.ExternalizeBeforeEntry, CrashPoint.ExternalizeBeforeObject, CrashPoint.VersionsReservedBeforeUse,
        CrashPoint.RenewalBeforePublish,
        CrashPoint.RenewalBeforeSwap, CrashPoint.RenewalBeforeOldFreed, CrashPoint.TagBetweenMarks, CrashPoint.MarkBeforePublish,
        CrashPoint.MarkBeforeOldFreed, CrashPoint.ClearBeforeDropped, CrashPoint.ClearBeforeMarkFreed, CrashPoint.RebuildBeforeOldFreed,
        CrashPoint.LineOnItsWay, CrashPoint.LineBetweenEmptied, CrashPoint.SplitBeforeRaised, CrashPoint.SplitBetweenCleared,
        CrashPoint.SplitBetweenBroughtForward,
        CrashPoint.SplitBeforeEnded, CrashPoint.SplitBeforeCounted, CrashPoint.IntentRecorded, CrashPoint.ChangeBeforeDone,
        CrashPoint.TableBeforeListed, CrashPoint.DropBeforeFiles, CrashPoint.FeedBeforeChange, CrashPoint.FeedBeforeLeft,
        CrashPoint.FeedBeforeRecycled,
    ];

    private static readonly CrashPoint[] OfRecovery =
    [
        CrashPoint.RecoveryBeforeRedoIdle, CrashPoint.RecoveryBeforeOpened, CrashPoint.ReplayBetweenRecords,
        CrashPoint.SuperblockBetweenPlaces, CrashPoint.RebuildBeforeOldFreed, CrashPoint.PageBeforeUnused, CrashPoint.RecoveredBeforeStated,
        CrashPoint.ChangeRecovered,
    ];

    /// <summary>The names of a target's windows.</summary>
    internal static string[] Of(string? target) =>
        [.. HashCrashPoints.NamesOf(AllOf(target).Concat(RecoveryOf(target)))];

    /// <summary>The window that a child favours.</summary>
    internal static CrashPoint Choose(TortureOptions options, bool inOpening, Dice dice)
    {
        CrashPoint asked = options.Point.Length != 0 ? HashCrashPoints.Parse(options.Point) : Control.CrashPointOf(options.ControlName);
        if (asked != CrashPoint.None && !dice.OneIn(4))
            return asked;
        CrashPoint[] all = inOpening ? RecoveryOf(options.Target) : AllOf(options.Target);
        return all[dice.Next(all.Length)];
    }

    private static CrashPoint[] AllOf(string? target) => target switch
    {
        TortureOptions.TableTarget => OfTable,
        TortureOptions.HashTarget => HashCrashPoints.OfWork,
        _ => OfPile,
    };

    private static CrashPoint[] RecoveryOf(string? target) =>
        target == TortureOptions.HashTarget ? HashCrashPoints.OfRecovery : OfRecovery;
}
