namespace BigPile.Perf.Traffic;

/// <summary>Whether an entry is there, as far as the model can know.</summary>
internal enum Liveness
{
    Gone,
    There,

    /// <summary>Its time was over about when the request ran.</summary>
    Either,
}
