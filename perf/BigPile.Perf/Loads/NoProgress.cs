namespace BigPile.Perf.Loads;

/// <summary>Ignores the progress.</summary>
internal sealed class NoProgress : ILoadProgress
{
    public void Begin(string phase, long total)
    {
    }

    public void Report(long done)
    {
    }
}
