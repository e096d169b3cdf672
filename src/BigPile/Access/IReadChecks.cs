using System.Runtime.CompilerServices;

namespace BigPile.Access;

/// <summary>Which of the checks a read makes: all of them. Tests leave one out, and must notice.</summary>
internal interface IReadChecks
{
    /// <summary>Whether the address must be the start of a slot.</summary>
    static abstract bool Slot { get; }

    /// <summary>Whether the header must be the same behind the copy, or behind the page info of what is not there.</summary>
    static abstract bool HeaderAgain { get; }

    /// <summary>Whether no replacement may have come between.</summary>
    static abstract bool Sequence { get; }

    /// <summary>What happens between the loads of the header and of the page info: nothing, but in a test of their order.</summary>
    static virtual void BehindHeader()
    {
    }
}

/// <summary>All checks.</summary>
internal readonly struct AllReadChecks : IReadChecks
{
    public static bool Slot => true;

    public static bool HeaderAgain => true;

    public static bool Sequence => true;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void BehindHeader()
    {
    }
}
