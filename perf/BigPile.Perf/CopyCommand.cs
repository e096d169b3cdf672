using System;
using System.CommandLine;
using System.IO;
using BigPile.Perf.Copies;

namespace BigPile.Perf;

/// <summary>The command <c>copy</c>.</summary>
internal sealed class CopyCommand : ReportCommand<CopyOptions, CopyReport>
{
    private static readonly CopyOptions Defaults = new();

    private readonly Option<int> _repetitions = LoadOption.Number(
        "--repetitions", "How often each figure is measured.", Defaults.Repetitions, CopyOptions.MaxRepetitions);
    private readonly Option<int> _milliseconds = LoadOption.Number(
        "--milliseconds", "How long each measurement is at least.", Defaults.Milliseconds, CopyOptions.MaxMilliseconds);
    private readonly Option<int> _pool = LoadOption.Number(
        "--pool-mebibytes", "How much memory copies go round that are to miss the processor's caches, on each side.",
        Defaults.PoolMebibytes, CopyOptions.MaxPoolMebibytes, CopyOptions.MinPoolMebibytes);

    internal CopyCommand(TextWriter output)
        : base(output, "copy",
            "Copies 8 KB, and an image of 26,099,520 bytes, into shared memory in each way that .NET has, and makes memory for the image; "
                + "beside C's memcpy, which is the memory's limit.",
            CopyRunner.Run) => AddOptions(_repetitions, _milliseconds, _pool);

    protected override CopyOptions Read(ParseResult arguments) => new()
    {
        Repetitions = arguments.GetValue(_repetitions),
        Milliseconds = arguments.GetValue(_milliseconds),
        PoolMebibytes = arguments.GetValue(_pool),
    };
}

/// <summary>What the copy load is asked to do.</summary>
internal sealed record CopyOptions
{
    internal const int MaxRepetitions = 1000;
    internal const int MaxMilliseconds = 10_000;
    internal const int MaxPoolMebibytes = 1024;
    internal const int MinPoolMebibytes = 32; // an image has its place in it

    /// <summary>The bytes of a small write.</summary>
    internal const int SmallBytes = 8192;

    /// <summary>The bytes of an image of 2480 x 3508 pixels of three bytes: a page of paper at 300 dots an inch.</summary>
    internal const int ImageBytes = 2480 * 3508 * 3;

    internal int Repetitions { get; init; } = 9; // how often each figure is measured
    internal int Milliseconds { get; init; } = 20; // how long each measurement is at least
    internal int PoolMebibytes { get; init; } = 256; // the memory that cache-missing copies cycle through, on each of the two sides

    /// <summary>As <see cref="PoolMebibytes"/>.</summary>
    internal int PoolBytes => (int)Math.Min((long)PoolMebibytes << 20, Array.MaxLength - 64);

    /// <summary>As <see cref="Milliseconds"/>.</summary>
    internal TimeSpan Least => TimeSpan.FromMilliseconds(Milliseconds);
}
