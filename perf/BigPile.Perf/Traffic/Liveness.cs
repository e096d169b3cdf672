namespace BigPile.Perf.Traffic;

/// <summary>Whether an entry exists, as far as the model can know.</summary>
internal enum Liveness
{
    Gone,
    There,

    /// <summary>Both are right: it expired about when the request ran.</summary>
    Either,
}
