namespace BigPile.Torture;

/// <summary>What is tortured.</summary>
internal interface ITarget
{
    /// <summary>Settles what was in flight when the process before was killed, so that work can go on at once.</summary>
    void Reconcile();

    /// <summary>Compares everything with the journal.</summary>
    void Verify();

    /// <summary>One random operation of a thread.</summary>
    IWorker MakeWorker(int thread, ulong seed);
}
