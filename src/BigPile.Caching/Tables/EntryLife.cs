using System;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Metrics;
using BigPile.Layout;

namespace BigPile.Caching.Tables;

/// <summary>Which entries are no more though their blocks are there, which are not shown yet, and until when they live.</summary>
internal static class EntryLife
{
    /// <summary>
    /// Whether an entry is no more though its block is there: its time is over, or its tag or the whole table was removed.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsDead(this TableCore core, in EntryHead head, ref long now)
    {
        if (head.Version <= core.Tags.ClearedUpTo)
            return true;
        return head.MayBeDead && core.IsDeadSlow(head, ref now);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsDeadSlow(this TableCore core, in EntryHead head, ref long now)
    {
        if (head.HasTags && core.Tags.IsMarked(head))
            return true;
        if (!head.HasExpiry)
            return false;
        if (now == 0)
            now = core.Clock.Now;
        return head.ExpiresAt <= now && (!core.Clock.HasSteps || core.Clock.ExpiryOf(head) <= now);
    }

    /// <summary>
    /// Whether reads may show an entry, as far as the walk for entries goes; whether it is dead is to be asked afterwards.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsShown(this TableCore core, in EntryHead head) => head.Version >= core.ShownFrom;

    /// <summary>Whether a key counts as missing though its entry is there.</summary>
    internal static bool IsNoneLocked(this TableCore core, in EntryHead head, ref long now) =>
        !core.IsShown(head) || core.IsGoneLocked(head, ref now);

    /// <summary>Whether an entry is the mark of a removed key, or dead.</summary>
    internal static bool IsGoneLocked(this TableCore core, in EntryHead head, ref long now) =>
        head.Kind is ValueKind.Tombstone || core.IsDead(head, ref now);

    /// <summary>The instant from which a sliding entry is gone that is used now.</summary>
    internal static long RenewedExpiryOf(this TableCore core, in EntryHead head, long now) =>
        Math.Min(core.Clock.SlidingEndOf(head), CacheClock.Add(now, head.SlidingTicks));

    /// <summary>Why an entry is no more.</summary>
    internal static Counter ReasonOf(this TableCore core, in EntryHead head) =>
        head.Version <= core.Tags.ClearedUpTo || (head.HasTags && core.Tags.IsMarked(head)) ? Counter.Removals : Counter.Expirations;

    /// <summary>
    /// Whether a pointer leads to an object. An entry is nobody's object: what has the pointer then was never the table's.
    /// </summary>
    internal static bool IsLive(this TableCore core, PilePointer pointer)
    {
        var size = default(SizeReader);
        return core.Pile.Reader.TryRead(pointer, ref size) && size.Kind != BlockKind.TableEntry;
    }
}
