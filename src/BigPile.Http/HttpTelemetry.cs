namespace BigPile.Http;

/// <summary>
/// The names of the HTTP metrics; the meter is <see cref="PileTelemetry.ServerMeterName"/>. The service has all of them; other applications
/// have those of the fast path.
/// </summary>
/// <remarks>REFERENCE.md, which is in each package, describes each instrument.</remarks>
public static class HttpTelemetry
{
    /// <summary>Requests that the full stack answered, by status.</summary>
    public const string Requests = "bigpile.server.requests";

    /// <summary>The duration of requests that the full stack answered.</summary>
    public const string RequestDuration = "bigpile.server.request.duration";

    /// <summary>Requests that were refused for their key or for the lack of one.</summary>
    public const string Refusals = "bigpile.server.refusals";

    /// <summary>Requests that the fast path answered, by status.</summary>
    public const string DoorRequests = "bigpile.door.requests";

    /// <summary>Requests that the fast path handed over to the full stack.</summary>
    public const string DoorHandOvers = "bigpile.door.handed_over";

    /// <summary>Connections that returned to the fast path after a request of the full stack.</summary>
    public const string DoorReturns = "bigpile.door.returned";

    /// <summary>The tag that holds the name of an API key.</summary>
    public const string KeyTag = "key";
}
