using System.Collections.Generic;

namespace BigPile.Http.Api;

/// <summary>Who is connected, and what was answered.</summary>
/// <param name="Connections">Connections that are open; left out where that is not counted.</param>
/// <param name="RejectedConnections">Connections that were refused since the start, because there were too many; left out likewise.</param>
/// <param name="RequestsRunning">Requests that run, and connections of the fast door that answer; left out where there is no limit.</param>
/// <param name="RequestLimit">The most of them at once; left out likewise.</param>
/// <param name="Statuses">Answers since the start by status, in ascending order.</param>
internal sealed record ServiceReport(
    long? Connections, long? RejectedConnections, int? RequestsRunning, int? RequestLimit, IReadOnlyList<StatusReport> Statuses);

/// <summary>Answers of one status.</summary>
/// <param name="Status">The status.</param>
/// <param name="Count">How many there were since the start.</param>
internal sealed record StatusReport(int Status, long Count);
