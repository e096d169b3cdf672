namespace BigPile.Perf.Loads;

/// <summary>Is told how far a load is. Called by one thread.</summary>
internal interface ILoadProgress
{
    /// <summary>A phase begins.</summary>
    /// <param name="phase">What it does.</param>
    /// <param name="total">The objects that it goes through.</param>
    void Begin(string phase, long total);

    /// <summary>The phase is through with so many objects.</summary>
    void Report(long done);
}
