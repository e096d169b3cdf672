using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;

namespace BigPile.Perf;

/// <summary>The command <c>report</c>: its options, and which files it writes.</summary>
internal sealed class StandardReportCommand : Command
{
    private const string DefaultDirectory = "report";

    private readonly Option<bool> _quick = new("--quick") { Description = "Smaller loads and fewer repeats, for a first look." };

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
    private readonly IStandardSet? _set;

    internal StandardReportCommand(TextWriter output, IStandardSet? set)
        : base("report", "Runs the standard set of loads, and draws what it measured as one page with charts, which needs no network.")
    {
        (_output, _set) = (output, set);
        Add(_quick);
        Add(_directory);
        Add(_from);
        SetAction((arguments, stop) => Task.FromResult(Execute(arguments, stop)));
    }

    private int Execute(ParseResult arguments, CancellationToken stop)
    {
        string directory = arguments.GetRequiredValue(_directory);
        if (arguments.GetValue(_from) is { } file)
        {
            if (arguments.GetValue(_quick))
                throw new LoadException("--quick is for loads, and --from runs none. Leave one of them out.");
            Tell(ReportFiles.Draw(RunStore.Read(file), directory));
            return 0;
        }
        if (_set == null)
            throw new LoadException("There is nothing to draw. Name a result file by --from.");
        var options = new ReportOptions(arguments.GetValue(_quick), directory);
        ReportConsole.Show(_output, progress => Run(_set, options, progress, stop), (_, paths) => Tell(paths));
        return 0;
    }

    private static List<string> Run(IStandardSet set, ReportOptions options, ILoadProgress progress, CancellationToken stop)
    {
        string result = Path.Combine(options.Directory, ReportFiles.Result);
        if (File.Exists(result)) // before the loads, which take long
            throw new LoadException($"--out '{options.Directory}' has a {ReportFiles.Result} of another run. Name another directory.");
        RunFile run = set.Run(options, progress, stop);
        Directory.CreateDirectory(options.Directory);
        RunStore.Write(result, run);
        return [result, .. ReportFiles.Draw(run, options.Directory)];
    }

    private void Tell(IReadOnlyList<string> paths)
    {
        foreach (string path in paths)
            _output.WriteLine(path);
    }
}
