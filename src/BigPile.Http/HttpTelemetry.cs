namespace BigPile.Http;

/// <summary>
/// What serving over HTTP is called in metrics; the meter is <see cref="PileTelemetry.ServerMeterName"/>. The service has all of them, an
/// application of its own those of the fast door.
/// </summary>
/// <remarks>REFERENCE.md, which is in each package, says what each instrument means.</remarks>
public static class HttpTelemetry
{
    /// <summary>Requests that the full stack answered, by status.</summary>
    public const string Requests = "bigpile.server.requests";

    /// <summary>How long they took.</summary>
    public const string RequestDuration = "bigpile.server.request.duration";

    /// <summary>Requests that their key, or the lack of one, had refused.</summary>
    public const string Refusals = "bigpile.server.refusals";

    /// <summary>Requests that the fast door answered, by status.</summary>
    public const string DoorRequests = "bigpile.door.requests";

    /// <summary>Requests that the fast door left to the full stack.</summary>
    public const string DoorHandOvers = "bigpile.door.handed_over";

    /// <summary>Connections that came back to the fast door after a request of the full stack.</summary>
    public const string DoorReturns = "bigpile.door.returned";

    /// <summary>The tag with the name of a key.</summary>
    public const string KeyTag = "key";
}
