namespace BigPile.Caching.Operations;

/// <summary>All checks that a correct read needs.</summary>
internal readonly struct AllChecks : ISearchChecks
{
    public static bool BlockAgain => true;

    public static bool SlotAgain => true;

    public static bool Key => true;

    public static bool StateAgain => true;
}
