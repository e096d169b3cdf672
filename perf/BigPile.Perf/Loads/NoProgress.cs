namespace BigPile.Perf.Loads;

/// <summary>Nobody looks.</summary>
internal sealed class NoProgress : ILoadProgress
{
    public void Begin(string phase, long total)
    {
    }

    public void Report(long done)
    {
    }
}
