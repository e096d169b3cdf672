namespace BigPile.Perf.Loads;

/// <summary>The progress of one part of a load, whose name stands before those of its phases.</summary>
internal sealed class NamedProgress(string name, ILoadProgress whole) : ILoadProgress
{
    public void Begin(string phase, long total) => whole.Begin($"{name}: {phase}", total);

    public void Report(long done) => whole.Report(done);
}
