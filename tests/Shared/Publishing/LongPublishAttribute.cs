using System;

namespace BigPile.Testing;

/// <summary>A test that builds for minutes, with packages that the short leg does not fetch.</summary>
[AttributeUsage(AttributeTargets.Method)]
public class LongPublishAttribute : TheoryAttribute
{
    public LongPublishAttribute() => Skip = TestLeg.IsLong ? null : "It builds for minutes: BIGPILE_LONG=1 runs it.";
}
