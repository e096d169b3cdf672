namespace BigPile.Testing;

/// <summary>As <see cref="CrashPointFactAttribute"/>, for a theory.</summary>
internal sealed class CrashPointTheoryAttribute : TheoryAttribute
{
#if !CRASH_POINTS
    public CrashPointTheoryAttribute() => Skip = CrashPointFactAttribute.Reason;
#endif
}
