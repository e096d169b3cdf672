using System.CommandLine;
using System.IO;
using BigPile.Perf.Tables;

namespace BigPile.Perf;

/// <summary>The command <c>limit</c>.</summary>
internal sealed class LimitCommand : ReportCommand<LimitOptions, LimitReport>
{
    private static readonly LimitOptions Defaults = new();

    private readonly Option<int> _limit = LoadOption.Number(
        "--limit-mebibytes", "The most that the table may take.", Defaults.LimitMebibytes, LimitOptions.MaxLimitMebibytes);
    private readonly Option<int> _put = LoadOption.Number(
        "--put-mebibytes", "How much is put in all.", Defaults.PutMebibytes, LimitOptions.MaxPutMebibytes);
    private readonly Option<int> _valueBytes = LoadOption.ValueBytes(Defaults.ValueBytes);
    private readonly Option<string?> _spill = LoadOption.Path(
        "--spill",
        "Where entries go that leave memory, to come back when they are asked for: a directory. They are evicted without it.");

    internal LimitCommand(TextWriter output)
        : base(output, "limit",
            "Puts far more into a table than its limit in bytes, watches the table's own figure and the process's memory, and reads all.",
            LimitRunner.Run) => AddOptions(_limit, _put, _valueBytes, _spill);

    protected override LimitOptions Read(ParseResult arguments) =>
        new(arguments.GetValue(_limit), arguments.GetValue(_put), arguments.GetValue(_valueBytes), arguments.GetValue(_spill));
}

/// <summary>What the limit load is asked to do.</summary>
/// <param name="LimitMebibytes">The table's limit.</param>
/// <param name="PutMebibytes">How much is put in all, keys and values.</param>
/// <param name="ValueBytes">The bytes of each value.</param>
/// <param name="SpillDirectory">The directory to which the table moves entries; <see langword="null"/>: none.</param>
internal sealed record LimitOptions(
    int LimitMebibytes = 1024, int PutMebibytes = 10_240, int ValueBytes = 1000, string? SpillDirectory = null)
{
    internal const int MaxLimitMebibytes = 1 << 20;
    internal const int MaxPutMebibytes = 1 << 24;
}
