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

    /// <summary>A number that each begin and end of an operation on a table takes one of.</summary>
    internal long Clock;

    /// <summary>How far the child is: 0 started, 1 opening, 2 at work.</summary>
    internal int Phase;

    internal int Threads;

    /// <summary>Puts that were in flight when a process was killed that no verification followed.</summary>
    internal int OpenPuts;

    internal long FoundWhole;
    internal long FoundAbsent;
    internal long Compared;
}
