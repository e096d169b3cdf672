using System.CommandLine;

namespace BigPile.Perf;

/// <summary>The options that several commands have. Each call makes one for one command.</summary>
internal static class SharedOptions
{
    internal static Option<StoreKind?> Store() => new("--store")
    {
        Description = "Where the pile keeps its segments; native by default. A mapped pile is temporary.",
        CustomParser = OptionParsers.ParseStore,
        HelpName = "managed|native|mapped",
    };

    internal static Option<EntryShape> Entries() => new("--entries")
    {
        Description = "How the table's entries are put; plain by default.",
        CustomParser = result => OptionParsers.ParseName<EntryShape>(result, "--entries"),
        HelpName = "plain|one-expiring|expiring|sliding|tagged",
    };

    /// <summary>Where a mapped pile lies, of a command that may have one.</summary>
    internal static Option<string?> MappedDirectory() => Directory("Mapped: an empty");

    /// <summary>Where mapped piles lie, of a command that has some.</summary>
    internal static Option<string?> WorkDirectory() => Directory("An empty");

    internal static Option<int> Count(string description, int otherwise, int most) => new("--count")
    {
        Description = description,
        DefaultValueFactory = _ => otherwise,
        CustomParser = result => OptionParsers.ParseNumber(result, "--count", most),
        HelpName = "N",
    };

    internal static Option<int> Threads(string description, int otherwise) => new("--threads")
    {
        Description = description,
        DefaultValueFactory = _ => otherwise,
        CustomParser = result => OptionParsers.ParseNumber(result, "--threads", InsertOptions.MaxThreads),
        HelpName = "T",
    };

    internal static Option<int> Mebibytes(int otherwise, int most) => new("--mebibytes")
    {
        Description = "How much the pile holds.",
        DefaultValueFactory = _ => otherwise,
        CustomParser = result => OptionParsers.ParseNumber(result, "--mebibytes", most),
        HelpName = "N",
    };

    internal static Option<int> Seconds(string description, int otherwise) => new("--seconds")
    {
        Description = description,
        DefaultValueFactory = _ => otherwise,
        CustomParser = result => OptionParsers.ParseNumber(result, "--seconds", PauseOptions.MaxSeconds),
        HelpName = "N",
    };

    internal static Option<int> ValueBytes(int otherwise) => new("--value-bytes")
    {
        Description = "The bytes of each value, from 8.",
        DefaultValueFactory = _ => otherwise,
        CustomParser = result => OptionParsers.ParseNumber(result, "--value-bytes", CacheOptions.MaxValueBytes, CacheOptions.MinValueBytes),
        HelpName = "N",
    };

    private static Option<string?> Directory(string begin) => new("--dir")
    {
        Description = $"{begin} or missing directory for the pile's files, which are removed at the end. Temporary by default.",
        HelpName = "D",
    };
}
