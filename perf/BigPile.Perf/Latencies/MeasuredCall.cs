using System;

namespace BigPile.Perf.Latencies;

/// <summary>A call that is measured repeatedly.</summary>
/// <param name="Name">As the report has it.</param>
/// <param name="NumberOf">The number of the entry for a call, by the number of the call; not in the call's time.</param>
/// <param name="Make">Calls, and tells whether the answer was right.</param>
internal sealed record MeasuredCall(string Name, Func<int, int> NumberOf, Func<int, bool> Make);
