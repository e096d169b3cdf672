using System;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Perf;

/// <summary>A command that runs a load, and prints its report as JSON or as a table.</summary>
/// <typeparam name="TOptions">What the load is told.</typeparam>
/// <typeparam name="TReport">What it tells.</typeparam>
internal abstract class ReportCommand<TOptions, TReport> : Command
{
    private readonly Option<bool> _json = new("--json") { Description = "Print JSON on one line, and nothing else." };
    private readonly Func<TOptions, ILoadProgress, CancellationToken, TReport> _run;

    private protected ReportCommand(
        TextWriter output, string name, string description, Func<TOptions, ILoadProgress, CancellationToken, TReport> run)
        : base(name, description)
    {
        Output = output;
        _run = run;
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
        if (!IsJson(arguments))
            return Print(arguments, ReportConsole.Run(Output, progress => _run(options, progress, stop)));
        return Print(arguments, _run(options, new NoProgress(), stop));
    }

    /// <summary>Prints a report in the form that was asked for, and gives the exit code.</summary>
    protected int Print(ParseResult arguments, TReport report)
    {
        if (IsJson(arguments))
            Output.WriteLine(JsonReport.Write(report));
        else
            ReportTable.Write(ReportConsole.Of(Output), Name, JsonReport.ToNode(report));
        return ExitCodeOf(report);
    }

    /// <summary>Whether the report is to be JSON, and nothing else printed.</summary>
    protected bool IsJson(ParseResult arguments) => arguments.GetValue(_json);

    protected abstract TOptions Read(ParseResult arguments);

    protected virtual int ExitCodeOf(TReport report) => 0;

    private protected static bool IsGiven(CommandResult command, Option option) => command.GetResult(option) is { Implicit: false };
}
