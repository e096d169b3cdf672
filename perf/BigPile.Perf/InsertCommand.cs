using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>insert</c>: its options, and what is printed.</summary>
internal sealed class InsertCommand : ReportCommand<InsertOptions, InsertReport>
{
    private static readonly InsertOptions Defaults = new();

    private readonly Option<StoreKind?> _store = new("--store")
    {
        Description = "Where the pile keeps its segments; native by default.",
        CustomParser = OptionParsers.ParseStore,
        HelpName = "managed|native|mapped",
    };

    private readonly Option<PayloadSpec> _payload = new("--payload")
    {
        Description = "The objects: strings of 32 or 64 characters, N bytes, or a class of seven fields.",
        DefaultValueFactory = _ => Defaults.Payload,
        CustomParser = OptionParsers.ParsePayload,
        HelpName = "string32|string64|bytes:N|person",
    };

    private readonly Option<LoadCodec> _codec = new("--codec")
    {
        Description = "What stores persons; the pile's own codec by default.",
        CustomParser = static result => OptionParsers.ParseName<LoadCodec>(result, "--codec"),
        HelpName = "bigpile|messagepack",
    };

    private readonly Option<int> _count = SharedOptions.Count("How many objects.", Defaults.Count, InsertOptions.MaxCount);

    private readonly Option<int> _threads = SharedOptions.Threads("How many threads share the objects.", Defaults.Threads);

    private readonly Option<string?> _directory = SharedOptions.MappedDirectory();

    private readonly Option<bool> _noHugePages = new("--no-huge-pages")
    {
        Description = "Native: do not ask the system for huge pages. Random gets are slower then.",
    };

    internal InsertCommand(TextWriter output)
        : base(output, "insert", "Puts objects, enumerates, gets all in sequence and at random, deletes; once to warm up, then measured.")
    {
        AddOptions(_store, _payload, _codec, _count, _threads, _directory, _noHugePages);
    }

    protected override InsertOptions Read(ParseResult arguments)
    {
        var options = new InsertOptions
        {
            Store = arguments.GetValue(_store) ?? Defaults.Store,
            Payload = arguments.GetRequiredValue(_payload),
            Codec = arguments.GetValue(_codec),
            Count = arguments.GetValue(_count),
            Threads = arguments.GetValue(_threads),
            Directory = arguments.GetValue(_directory),
            HugePages = !arguments.GetValue(_noHugePages),
        };
        if (options.Codec != LoadCodec.Bigpile && options.Payload.ToString() != "person")
            throw new LoadException("--codec is for persons only: text and bytes never reach a codec. Use --payload person.");
        return options.Directory != null && options.Store != StoreKind.Mapped
            ? throw new LoadException("--dir is for a mapped pile only. Leave it out, or use --store mapped.")
            : options;
    }

    protected override InsertReport Run(InsertOptions options, ILoadProgress progress, CancellationToken stop) =>
        InsertRunner.Run(options, progress, stop);

    protected override string ToJson(InsertReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, InsertReport report) => TableReport.Write(console, report);
}
