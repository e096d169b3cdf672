namespace BigPile.Torture;

/// <summary>One thread's random operations.</summary>
internal interface IWorker
{
    void Step();
}
