using System;
using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;
using BigPile.Perf.Standard;

namespace BigPile.Perf;

/// <summary>The command <c>report</c>: its options, and which files it writes.</summary>
internal sealed class StandardReportCommand : Command
{
    private const string DefaultDirectory = "report";

    private static readonly StandardSetOptions Defaults = new();

    private readonly Option<bool> _quick = new("--quick") { Description = "Smaller loads: a few minutes for each repetition." };

    private readonly Option<int> _repeats = new("--repeats")
    {
        Description = $"How often each figure is measured, in turns with all others; {Defaults.Repeats} by default.",
        DefaultValueFactory = _ => Defaults.Repeats,
        CustomParser = result => OptionParsers.ParseNumber(result, "--repeats", StandardSetOptions.MaxRepeats),
        HelpName = "N",
    };

    private readonly Option<string[]> _parts = new("--parts")
    {
        Description = "Runs some parts only, with commas between.",
        CustomParser = ParseParts,
        HelpName = string.Join(",", StandardSet.PartNames),
    };

    private readonly Option<string[]> _traces = new("--traces")
    {
        Description = "Recorded traces, or directories of them, to replay beside those that the console makes.",
        AllowMultipleArgumentsPerToken = true,
        HelpName = "FILE",
    };

    private readonly Option<string?> _work = new("--dir")
    {
        Description = "An empty or missing directory for the files of mapped piles, which are removed at the end. Temporary by default.",
        HelpName = "D",
    };

    private readonly Option<string> _directory = new("--out")
    {
        Description = $"Where the page, its charts and the result file go; '{DefaultDirectory}' by default.",
        DefaultValueFactory = _ => DefaultDirectory,
        HelpName = "DIR",
    };

    private readonly Option<string?> _from = new("--from")
    {
        Description = "Runs nothing, and draws the page and its charts again from a result file.",
        HelpName = "FILE",
    };

    private readonly TextWriter _output;
    private readonly Func<StandardSetOptions, ILoadProgress, CancellationToken, RunFile> _run;

    /// <summary>Makes the command.</summary>
    /// <param name="output">Where it says what it wrote.</param>
    /// <param name="run">Runs the standard set.</param>
    internal StandardReportCommand(TextWriter output, Func<StandardSetOptions, ILoadProgress, CancellationToken, RunFile> run)
        : base("report", "Runs the standard set of loads, and draws what it measured as one page with charts, which needs no network.")
    {
        (_output, _run) = (output, run);
        foreach (Option option in new Option[] { _quick, _repeats, _parts, _traces, _work, _directory, _from })
            Add(option);
        SetAction((arguments, stop) => Task.FromResult(Execute(arguments, stop)));
    }

    private int Execute(ParseResult arguments, CancellationToken stop)
    {
        string directory = arguments.GetRequiredValue(_directory);
        if (arguments.GetValue(_from) is not { } file)
        {
            ReportConsole.ShowAll(_output, progress => Run(Read(arguments), directory, progress, stop), (_, paths) => Tell(paths));
            return 0;
        }
        Option[] ofLoads = [_quick, _repeats, _parts, _traces, _work];
        if (ofLoads.FirstOrDefault(option => arguments.GetResult(option) is { Implicit: false }) is { } given)
            throw new LoadException($"{given.Name} is for loads, and --from runs none. Leave one of them out.");
        RunFile run = RunStore.Read(file);
        UserDirectory.Demand(directory, _directory.Name);
        Tell(ReportFiles.Draw(run, directory));
        return 0;
    }

    private StandardSetOptions Read(ParseResult arguments) => new()
    {
        Quick = arguments.GetValue(_quick),
        Repeats = arguments.GetValue(_repeats),
        Parts = arguments.GetValue(_parts) ?? [],
        Traces = arguments.GetValue(_traces) ?? [],
        Directory = arguments.GetValue(_work),
    };

    private List<string> Run(StandardSetOptions options, string directory, ILoadProgress progress, CancellationToken stop)
    {
        string result = Path.Combine(directory, ReportFiles.Result);
        if (File.Exists(result)) // before the loads, which take long
            throw new LoadException($"--out '{directory}' has a {ReportFiles.Result} of another run. Name another directory.");
        UserDirectory.Demand(directory, _directory.Name);
        RunFile run = _run(options, progress, stop);
        RunStore.Write(result, run);
        return [result, .. ReportFiles.Draw(run, directory)];
    }

    private void Tell(IReadOnlyList<string> paths)
    {
        foreach (string path in paths)
            _output.WriteLine(path);
    }

    private static string[] ParseParts(ArgumentResult result)
    {
        string[] parts = result.Tokens[0].Value.Split(',');
        if (parts.FirstOrDefault(part => !StandardSet.PartNames.Contains(part)) is { } unknown)
            result.AddError($"--parts '{unknown}' is unknown. Use some of {string.Join(", ", StandardSet.PartNames)}; commas go between.");
        return parts;
    }
}
