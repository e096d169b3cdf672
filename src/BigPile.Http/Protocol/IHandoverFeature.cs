namespace BigPile.Http.Protocol;

/// <summary>A connection on which the stack answers a single request for the fast door.</summary>
internal interface IHandoverFeature
{
    /// <summary>Says that the answer is complete.</summary>
    void OnResponseCompleted();

    /// <summary>Whether the door has taken the permit of the request that is being answered; that is said once.</summary>
    bool TakePermit();
}
