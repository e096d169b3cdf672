namespace BigPile.AspNetCore.Door;

/// <summary>A connection on which the stack answers a single request for the fast door.</summary>
internal interface IResponseGate
{
    /// <summary>Says that the answer is complete.</summary>
    void OnResponseCompleted();
}
