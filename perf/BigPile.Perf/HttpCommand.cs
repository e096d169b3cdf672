using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using BigPile.Perf.Requests;

namespace BigPile.Perf;

/// <summary>The command <c>http</c>.</summary>
internal sealed class HttpCommand : ReportCommand<HttpOptions, HttpReport>
{
    private static readonly HttpOptions Defaults = new();

    private readonly Option<int[]> _connections = LoadOption.Numbers(
        "--connections", "How many requests are on the way at a time, each over a connection of its own", Defaults.Connections,
        HttpOptions.MaxConnections);
    private readonly Option<int[]> _valueBytes = LoadOption.Numbers(
        "--value-bytes", "The bytes of each value", Defaults.ValueBytes, HttpOptions.MaxValueBytes, HttpOptions.MinValueBytes);
    private readonly Option<int> _seconds = LoadOption.Seconds("How long each of them is measured.", Defaults.Seconds);

    internal HttpCommand(TextWriter output)
        : base(output, "http", "Starts the service, puts 1,000 values of each size into it, and gets them at random over HTTP.",
            HttpLoad.Run) => AddOptions(_connections, _valueBytes, _seconds);

    protected override HttpOptions Read(ParseResult arguments) => new()
    {
        Connections = arguments.GetRequiredValue(_connections),
        ValueBytes = arguments.GetRequiredValue(_valueBytes),
        Seconds = arguments.GetValue(_seconds),
    };
}

/// <summary>What the HTTP load is asked to do.</summary>
internal sealed record HttpOptions
{
    internal const int MaxConnections = 1024;
    internal const int MaxValueBytes = 8 << 20;
    internal const int MinValueBytes = sizeof(long);

    /// <summary>The entries that are asked for.</summary>
    internal const int Entries = 1000;

    internal IReadOnlyList<int> Connections { get; init; } = [1, 4, 16, 64]; // the numbers of connections, one after another
    internal IReadOnlyList<int> ValueBytes { get; init; } = [100, 4096, 65_536]; // the sizes of the values, one after another
    internal int Seconds { get; init; } = 2; // how long each of them is measured with each number of connections
}
