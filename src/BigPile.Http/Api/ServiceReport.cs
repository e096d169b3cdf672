using System.Collections.Generic;

namespace BigPile.Http.Api;

/// <summary>The connections and the responses of the service.</summary>
/// <param name="Connections">Open connections; omitted if not counted.</param>
/// <param name="RejectedConnections">Connections rejected at the limit since the start; omitted likewise.</param>
/// <param name="RequestsRunning">Running requests, and fast-path connections that are answering; omitted without a limit.</param>
/// <param name="RequestLimit">Their limit; omitted likewise.</param>
/// <param name="Statuses">Responses since the start, by ascending status.</param>
internal sealed record ServiceReport(
    long? Connections, long? RejectedConnections, int? RequestsRunning, int? RequestLimit, IReadOnlyList<StatusReport> Statuses);

/// <summary>Responses of one status.</summary>
/// <param name="Status">The status.</param>
/// <param name="Count">Their number since the start.</param>
internal sealed record StatusReport(int Status, long Count);
