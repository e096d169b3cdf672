using System;

namespace BigPile.Testing;

/// <summary>A test of the long leg alone.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class LongFactAttribute : FactAttribute
{
    /// <param name="reason">Why the short leg has no sample of it.</param>
    public LongFactAttribute(string reason) => Skip = TestLeg.IsLong ? null : $"{reason} BIGPILE_LONG=1 runs it.";
}
