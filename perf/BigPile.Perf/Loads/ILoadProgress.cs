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
