using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a traffic load sent and got. The names and their order are those of the JSON object.</summary>
internal sealed record TrafficReport
{
    public required long Requests { get; init; } // requests whose answers were checked
    public required int Seed { get; init; } // what the operations followed from
    public required int Clients { get; init; } // connections
    public required int Depth { get; init; } // requests that a client sent before it read the answers
    public required int Keys { get; init; } // keys of each client
    public required long WrongAnswers { get; init; } // answers that are not what the model says
    public required IReadOnlyList<string> WrongExamples { get; init; } // the first of them, in words
    public required double PerSecond { get; init; } // requests a second, restarts included
    public required double Seconds { get; init; } // the time of it all
    public required IReadOnlyDictionary<string, long> Operations { get; init; } // requests by what they asked for
    public required long ExpiredReads { get; init; } // reads that had to miss because the entry's time was over

    /// <summary>Changes that were under way when the server ended, so that either outcome was right.</summary>
    public required long UncertainChanges { get; init; }
    public required long FinalReads { get; init; } // keys that were read once more at the end
    public required IReadOnlyList<TrafficRestart> Restarts { get; init; } // the restarts
    public required IReadOnlyList<TrafficMemory> Memory { get; init; } // the server's memory on the way
}

/// <summary>A restart of the server.</summary>
/// <param name="How">How the server ended.</param>
/// <param name="StopSeconds">From the signal to the end of the process.</param>
/// <param name="StartSeconds">From the start of the next process until it was ready.</param>
internal sealed record TrafficRestart(string How, double StopSeconds, double StartSeconds);

/// <summary>The server's memory at an instant.</summary>
/// <param name="Percent">The share of requests that were done.</param>
/// <param name="ProcessId">The process; a restart makes a new one.</param>
/// <param name="ProcessBytes">Memory of the process that is resident, mapped files left out; none where the system does not say.</param>
/// <param name="ManagedBytes">The managed heap of it, garbage included.</param>
/// <param name="Entries">Entries in the table.</param>
/// <param name="ReservedBytes">Bytes of the pile's segments.</param>
internal sealed record TrafficMemory(int Percent, int ProcessId, long? ProcessBytes, long ManagedBytes, long Entries, long ReservedBytes);
