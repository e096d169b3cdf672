using System;
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
    private readonly Option<bool> _json = new("--json") { Description = "Print JSON on one line, and nothing else." };

    private protected ReportCommand(TextWriter output, string name, string description)
        : base(name, description)
    {
        Output = output;
        SetAction((arguments, stop) => Task.FromResult(Execute(arguments, stop)));
    }

    protected TextWriter Output { get; }

    /// <summary>Adds the command's own options, then the common one: help lists them in this order.</summary>
    protected void AddOptions(params Option[] options)
    {
        foreach (Option option in options)
            Add(option);
        Add(_json);
    }

    /// <summary>Runs the command and returns its exit code.</summary>
    protected virtual int Execute(ParseResult arguments, CancellationToken stop)
    {
        TOptions options = Read(arguments);
        return ExitCodeOf(Print(arguments, progress => Run(options, progress, stop), ToJson, Write));
    }

    /// <summary>Runs a load, prints its report in the form that was asked for, and gives it.</summary>
    protected TAny Print<TAny>(
        ParseResult arguments, Func<ILoadProgress, TAny> run, Func<TAny, string> toJson, Action<IAnsiConsole, TAny> write)
    {
        if (!IsJson(arguments))
            return ReportConsole.Show(Output, run, write);
        TAny report = run(new NoProgress());
        Output.WriteLine(toJson(report));
        return report;
    }

    /// <summary>Whether the report is to be JSON, and nothing else printed.</summary>
    protected bool IsJson(ParseResult arguments) => arguments.GetValue(_json);

    protected abstract TOptions Read(ParseResult arguments);

    protected abstract TReport Run(TOptions options, ILoadProgress progress, CancellationToken stop);

    protected abstract string ToJson(TReport report);

    protected abstract void Write(IAnsiConsole console, TReport report);

    protected virtual int ExitCodeOf(TReport report) => 0;
}
