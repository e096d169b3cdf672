namespace BigPile.Http.Protocol;

/// <summary>A connection that the fast path has handed over to the full stack for one request.</summary>
internal interface IHandoverFeature
{
    /// <summary>Reports that the response is complete.</summary>
    void OnResponseCompleted();

    /// <summary>Whether the fast path took the rate-limit permit of the current request; <see langword="true"/> only once.</summary>
    bool TakePermit();
}
