using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a traffic load sent and got. The names and their order are those of the JSON object.</summary>
internal sealed record TrafficReport
{
    /// <summary>Requests whose answers were checked.</summary>
    public required long Requests { get; init; }

    /// <summary>What the operations followed from.</summary>
    public required int Seed { get; init; }

    /// <summary>Connections.</summary>
    public required int Clients { get; init; }

    /// <summary>Requests that a client sent before it read the answers.</summary>
    public required int Depth { get; init; }

    /// <summary>Keys of each client.</summary>
    public required int Keys { get; init; }

    /// <summary>Answers that are not what the model says.</summary>
    public required long WrongAnswers { get; init; }

    /// <summary>The first of them, in words.</summary>
    public required IReadOnlyList<string> WrongExamples { get; init; }

    /// <summary>Requests a second, restarts included.</summary>
    public required double PerSecond { get; init; }

    /// <summary>The time of it all.</summary>
    public required double Seconds { get; init; }

    /// <summary>Requests by what they asked for.</summary>
    public required IReadOnlyDictionary<string, long> Operations { get; init; }

    /// <summary>Reads that had to miss because the entry's time was over.</summary>
    public required long ExpiredReads { get; init; }

    /// <summary>Changes that were under way when the server ended, so that either outcome was right.</summary>
    public required long UncertainChanges { get; init; }

    /// <summary>Keys that were read once more at the end.</summary>
    public required long FinalReads { get; init; }

    /// <summary>The restarts.</summary>
    public required IReadOnlyList<TrafficRestart> Restarts { get; init; }

    /// <summary>The server's memory on the way.</summary>
    public required IReadOnlyList<TrafficMemory> Memory { get; init; }
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
