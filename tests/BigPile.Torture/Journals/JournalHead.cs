using System.Runtime.InteropServices;

namespace BigPile.Torture.Journals;

/// <summary>What the processes of a run share.</summary>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal struct JournalHead
{
    internal const int SizeBytes = 256;

    /// <summary>Objects and keys that were to be there and are not.</summary>
    internal long Lost;

    /// <summary>Everything else that is not as it was to be.</summary>
    internal long Wrong;

    /// <summary>Blocks that nobody owns.</summary>
    internal long Leaked;

    /// <summary>A number that each begin and end of an operation takes one of.</summary>
    internal long Clock;

    /// <summary>What had ended before this instant of the run's clock is durable: a flush that began then has ended.</summary>
    internal long FlushedUpTo;

    /// <summary>The time of the tables, in ticks since the run's first day.</summary>
    internal long Time;

    /// <summary>How far the child is: 0 started, 1 opening, 2 at work.</summary>
    internal int Phase;

    internal int Threads;

    /// <summary>Puts that were in flight when a process was killed that no verification followed.</summary>
    internal int OpenPuts;

    /// <summary>The machine's start, which the pile is told.</summary>
    internal int Boot;

    /// <summary>Whether the machine's start is another one since the last comparison: only what was flushed must be there.</summary>
    internal bool IsOtherBoot;

    /// <summary>Whether the pile is a shared one.</summary>
    internal bool IsShared;

    internal long FoundWhole;
    internal long FoundAbsent;
    internal long Compared;

    /// <summary>Opened under another start of the machine.</summary>
    internal long OtherBoots;

    /// <summary>Changes that had ended and were undone by another start of the machine, as they may be.</summary>
    internal long Undone;
}
