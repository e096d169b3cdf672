using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Requests;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>http</c>: its options, and what is printed.</summary>
internal sealed class HttpCommand : ReportCommand<HttpOptions, HttpReport>
{
    private static readonly HttpOptions Defaults = new();

    private readonly Option<int[]> _connections = new("--connections")
    {
        Description = "How many requests are on the way at a time, each over a connection of its own; several numbers with commas between.",
        DefaultValueFactory = _ => [.. Defaults.Connections],
        CustomParser = result => OptionParsers.ParseNumbers(result, "--connections", HttpOptions.MaxConnections),
        HelpName = "N,N",
    };

    private readonly Option<int[]> _valueBytes = new("--value-bytes")
    {
        Description = "The bytes of each value; several numbers with commas between.",
        DefaultValueFactory = _ => [.. Defaults.ValueBytes],
        CustomParser = result =>
            OptionParsers.ParseNumbers(result, "--value-bytes", HttpOptions.MaxValueBytes, HttpOptions.MinValueBytes),
        HelpName = "N,N",
    };

    private readonly Option<int> _seconds = SharedOptions.Seconds("How long each of them is measured.", Defaults.Seconds);

    internal HttpCommand(TextWriter output)
        : base(output, "http", "Starts the service, puts 1,000 values of each size into it, and gets them at random over HTTP.")
    {
        AddOptions(_connections, _valueBytes, _seconds);
    }

    protected override HttpOptions Read(ParseResult arguments) => new()
    {
        Connections = arguments.GetRequiredValue(_connections),
        ValueBytes = arguments.GetRequiredValue(_valueBytes),
        Seconds = arguments.GetValue(_seconds),
    };

    protected override HttpReport Run(HttpOptions options, ILoadProgress progress, CancellationToken stop) =>
        HttpLoad.Run(options, progress, stop);

    protected override string ToJson(HttpReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, HttpReport report) => HttpTable.Write(console, report);
}
