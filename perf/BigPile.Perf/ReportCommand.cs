using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>A command that runs a load, and prints its report as JSON or as a table.</summary>
/// <typeparam name="TOptions">What the load is told.</typeparam>
/// <typeparam name="TReport">What it tells.</typeparam>
internal abstract class ReportCommand<TOptions, TReport> : Command
{
    private readonly Option<bool> _json = new("--json") { Description = "Print one JSON object, and nothing else." };

    private protected ReportCommand(TextWriter output, string name, string description)
        : base(name, description)
    {
        Output = output;
        SetAction((arguments, stop) => Task.FromResult(Execute(arguments, stop)));
    }

    protected TextWriter Output { get; }

    /// <summary>Adds the command's own options, and then the one that all commands have: help lists them in this order.</summary>
    protected void AddOptions(params Option[] options)
    {
        foreach (Option option in options)
            Add(option);
        Add(_json);
    }

    /// <summary>Does what the command is there for, and gives the exit code.</summary>
    protected virtual int Execute(ParseResult arguments, CancellationToken stop)
    {
        TOptions options = Read(arguments);
        TReport report;
        if (arguments.GetValue(_json))
        {
            report = Run(options, new NoProgress(), stop);
            Output.WriteLine(ToJson(report));
        }
        else
        {
            report = ReportConsole.Show(Output, progress => Run(options, progress, stop), Write);
        }
        return ExitCodeOf(report);
    }

    protected abstract TOptions Read(ParseResult arguments);

    protected abstract TReport Run(TOptions options, ILoadProgress progress, CancellationToken stop);

    protected abstract string ToJson(TReport report);

    protected abstract void Write(IAnsiConsole console, TReport report);

    protected virtual int ExitCodeOf(TReport report) => 0;
}
