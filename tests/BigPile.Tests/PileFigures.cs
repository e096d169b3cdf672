namespace BigPile.Tests;

/// <summary>What is always true of a pile's statistics.</summary>
internal static class PileFigures
{
    internal static void AssertAddUp(PileStatistics s)
    {
        Assert.Equal(s.ReservedBytes, s.CommittedBytes + s.UnusedBytes);
        Assert.Equal(s.CommittedBytes, s.PayloadBytes + s.HeaderBytes + s.SlackBytes + s.FreeBytes + s.UnexaminedBytes);
        Assert.True(
            s is { ObjectCount: >= 0, LinkCount: >= 0, PayloadBytes: >= 0, HeaderBytes: >= 0, SlackBytes: >= 0, FreeBytes: >= 0 }
                and { UnexaminedBytes: >= 0, UnusedBytes: >= 0 },
            s.ToString());
    }
}
