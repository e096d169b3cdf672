using System.Runtime.CompilerServices;

namespace BigPile.Access;

/// <summary>Which checks a read makes: all. Tests omit one and must fail.</summary>
internal interface IReadChecks
{
    /// <summary>Whether the address must be the start of a slot.</summary>
    static abstract bool Slot { get; }

    /// <summary>Whether the header must be unchanged after the copy, or, of an absent block, after the page info's load.</summary>
    static abstract bool HeaderAgain { get; }

    /// <summary>Whether no replacement may have happened in between.</summary>
    static abstract bool SequenceAgain { get; }

    /// <summary>Called between the loads of header and page info; does something only in a test of their order.</summary>
    static virtual void BehindHeader()
    {
    }
}

/// <summary>All checks.</summary>
internal readonly struct AllReadChecks : IReadChecks
{
    public static bool Slot => true;

    public static bool HeaderAgain => true;

    public static bool SequenceAgain => true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void BehindHeader()
    {
    }
}
