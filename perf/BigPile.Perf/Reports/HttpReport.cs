using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What an HTTP load measured. The names and their order are those of the JSON object.</summary>
internal sealed record HttpReport
{
    public required int Seconds { get; init; } // how long each row was measured
    public required IReadOnlyList<HttpRow> Rows { get; init; } // a row for each number of connections and size
}

/// <summary>One way of asking.</summary>
/// <param name="ValueBytes">The bytes of each value.</param>
/// <param name="Connections">How many requests were on the way at a time, each over a connection of its own.</param>
/// <param name="RequestsPerSecond">Answers that came and were right.</param>
/// <param name="LatencyUs">From sending to having the whole answer.</param>
internal sealed record HttpRow(int ValueBytes, int Connections, double RequestsPerSecond, LatencyReport LatencyUs);
