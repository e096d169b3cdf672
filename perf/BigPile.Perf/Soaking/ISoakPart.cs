namespace BigPile.Perf.Soaking;

/// <summary>One worker's share in one kind of load. Belongs to the worker's thread.</summary>
internal interface ISoakPart
{
    /// <summary>Fills the initial values before the measured time.</summary>
    void Fill();

    /// <summary>Does one operation, and keeps the live bytes constant.</summary>
    void Step();

    /// <summary>Checks everything that must be there.</summary>
    void Check();

    /// <summary>Ends leases, and deletes objects that are in no table.</summary>
    void Clear();
}
