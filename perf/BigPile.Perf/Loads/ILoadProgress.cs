namespace BigPile.Perf.Loads;

/// <summary>Receives the progress of a load. Called by one thread.</summary>
internal interface ILoadProgress
{
    /// <summary>A phase begins.</summary>
    /// <param name="phase">What it does.</param>
    /// <param name="total">The number of its objects.</param>
    void Begin(string phase, long total);

    /// <summary>The phase has processed this many objects.</summary>
    void Report(long done);
}

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

/// <summary>The progress of one part of a load, whose name stands before those of its phases.</summary>
internal sealed class NamedProgress(string name, ILoadProgress whole) : ILoadProgress
{
    public void Begin(string phase, long total) => whole.Begin($"{name}: {phase}", total);

    public void Report(long done) => whole.Report(done);
}
