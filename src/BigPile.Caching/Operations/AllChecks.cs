namespace BigPile.Caching.Operations;

/// <summary>Every check that a read needs to be right.</summary>
internal readonly struct AllChecks : ISearchChecks
{
    public static bool BlockAgain => true;

    public static bool SlotAgain => true;

    public static bool Key => true;

    public static bool StateAgain => true;
}
