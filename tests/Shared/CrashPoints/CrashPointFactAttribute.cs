namespace BigPile.Testing;

/// <summary>A test that needs crash points or mutations; skipped where they are not compiled.</summary>
internal sealed class CrashPointFactAttribute : FactAttribute
{
#if !CRASH_POINTS
    internal const string Reason = "Crash points and mutations are compiled in Debug.";

    public CrashPointFactAttribute() => Skip = Reason;
#endif
}
