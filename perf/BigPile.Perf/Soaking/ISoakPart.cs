namespace BigPile.Perf.Soaking;

/// <summary>One worker's share in one kind of load. Belongs to the worker's thread.</summary>
internal interface ISoakPart
{
    /// <summary>Puts, before time is counted, what is there in the long run.</summary>
    void Fill();

    /// <summary>Does one operation, and what keeps live bytes level behind it.</summary>
    void Step();

    /// <summary>Looks at everything that must be there.</summary>
    void Check();

    /// <summary>Ends what is held, and deletes what was put into the pile without a table.</summary>
    void Clear();
}
