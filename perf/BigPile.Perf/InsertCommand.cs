using System;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.IO;

namespace BigPile.Perf;

/// <summary>The command <c>insert</c>.</summary>
internal sealed class InsertCommand : ReportCommand<InsertOptions, InsertReport>
{
    private static readonly InsertOptions Defaults = new();

    private readonly Option<StoreKind> _store = LoadOption.Store();
    private readonly Option<LoadCodec> _codec = LoadOption.Name("--codec", "What stores persons.", LoadCodec.Bigpile);
    private readonly Option<int> _count = LoadOption.Count("How many objects.", Defaults.Count, InsertOptions.MaxCount);
    private readonly Option<int> _threads = LoadOption.Threads("How many threads share the objects.", Defaults.Threads);
    private readonly Option<string?> _directory = LoadOption.Directory();

    private readonly Option<PayloadSpec> _payload = new("--payload")
    {
        Description = "The objects: strings of 32 or 64 characters, N bytes, or a class of seven fields.",
        DefaultValueFactory = _ => Defaults.Payload,
        CustomParser = ParsePayload,
        HelpName = "string32|string64|bytes:N|person",
    };

    internal InsertCommand(TextWriter output)
        : base(output, "insert", "Puts objects, enumerates, gets all in sequence and at random, deletes; once to warm up, then measured.",
            InsertRunner.Run) => AddOptions(_store, _payload, _codec, _count, _threads, _directory);

    protected override InsertOptions Read(ParseResult arguments)
    {
        var options = new InsertOptions
        {
            Store = arguments.GetValue(_store),
            Payload = arguments.GetRequiredValue(_payload),
            Codec = arguments.GetValue(_codec),
            Count = arguments.GetValue(_count),
            Threads = arguments.GetValue(_threads),
            Directory = arguments.GetValue(_directory),
        };
        if (options.Codec != LoadCodec.Bigpile && options.Payload.ToString() != "person")
            throw new LoadException("--codec is for persons only: text and bytes never reach a codec. Use --payload person.");
        LoadOption.RequireMapped(options.Store, options.Directory);
        return options;
    }

    private static PayloadSpec? ParsePayload(ArgumentResult result)
    {
        if (!PayloadSpec.TryParse(LoadOption.TextOf(result), out PayloadSpec? spec, out string? error))
            result.AddError(error);
        return spec;
    }
}

/// <summary>What the insert load is asked to do.</summary>
internal sealed record InsertOptions
{
    internal const int MaxThreads = 1024;

    internal StoreKind Store { get; init; } = StoreKind.Native;
    internal PayloadSpec Payload { get; init; } = PayloadSpec.String32;
    internal LoadCodec Codec { get; init; } // the codec of objects that are neither text nor bytes
    internal int Count { get; init; } = 1_000_000;
    internal int Threads { get; init; } = 1;
    internal string? Directory { get; init; } // the user's directory for a mapped pile; null for a temporary one
    internal long? MaxBytes { get; init; } // the most bytes that the pile's segments may take; by default what the machine has free

    /// <summary>The most objects: their pointers are in one array.</summary>
    internal static int MaxCount => Array.MaxLength;
}
