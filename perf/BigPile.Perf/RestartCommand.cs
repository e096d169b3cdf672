using System;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Restarts;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>restart</c>: its options, and what is printed.</summary>
internal sealed class RestartCommand : ReportCommand<RestartOptions, RestartReport>
{
    private readonly Option<int> _mebibytes = SharedOptions.Mebibytes(new RestartOptions().Mebibytes, RestartOptions.MaxMebibytes);

    private readonly Option<string?> _directory = SharedOptions.WorkDirectory();

    private readonly Option<int> _entries = new("--entries")
    {
        Description = "Instead of objects: the entries of a table, which is opened again with the pile.",
        CustomParser = result => OptionParsers.ParseNumber(result, "--entries", TableRestartOptions.MaxEntries),
        HelpName = "N",
    };

    private readonly Option<int> _valueBytes = SharedOptions.ValueBytes(new TableRestartOptions().ValueBytes);

    private readonly Option<string?> _indexDirectory = new("--index-dir")
    {
        Description = "A directory for the table's index, such as one in shared memory. With the pile by default.",
        HelpName = "D",
    };

    private readonly Option<string?> _worker = new("--worker") { Hidden = true };

    internal RestartCommand(TextWriter output)
        : base(output, "restart",
            "Fills a mapped pile in a second process, flushes it, and opens it again: after it was closed, cold, and after a kill. "
                + "With --entries a table: after it was closed, after a kill, and without its index.")
    {
        AddOptions(_mebibytes, _directory, _entries, _valueBytes, _indexDirectory);
        Add(_worker);
        Validators.Add(RefuseMixture);
    }

    protected override int Execute(ParseResult arguments, CancellationToken stop)
    {
        if (arguments.GetResult(_entries) is not null)
            return ExecuteOfTables(arguments, stop);
        if (arguments.GetValue(_worker) is not { } role)
            return base.Execute(arguments, stop);
        RestartOptions options = Read(arguments);
        return RestartWorker.Run(role, options.Directory!, options, Console.In, Output);
    }

    protected override RestartOptions Read(ParseResult arguments) =>
        new() { Mebibytes = arguments.GetValue(_mebibytes), Directory = arguments.GetValue(_directory) };

    protected override RestartReport Run(RestartOptions options, ILoadProgress progress, CancellationToken stop) =>
        RestartLoad.Run(options, progress, stop);

    protected override string ToJson(RestartReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, RestartReport report) => RestartTable.Write(console, report);

    private int ExecuteOfTables(ParseResult arguments, CancellationToken stop)
    {
        var options = new TableRestartOptions
        {
            Entries = arguments.GetValue(_entries),
            ValueBytes = arguments.GetValue(_valueBytes),
            Directory = arguments.GetValue(_directory),
            IndexDirectory = arguments.GetValue(_indexDirectory),
        };
        if (arguments.GetValue(_worker) is { } role)
            return TableWorker.Run(role, options, Console.In, Output);
        Print(arguments, progress => TableRestartLoad.Run(options, progress, stop), JsonReport.Write, TableRestartTable.Write);
        return 0;
    }

    // A load of objects and one of a table share only the directory.
    private void RefuseMixture(CommandResult command)
    {
        bool isOfTables = IsGiven(command, _entries);
        if (isOfTables && IsGiven(command, _mebibytes))
            command.AddError("--mebibytes is of a load of objects, and --entries makes it one of a table. Leave one of them out.");
        foreach (Option option in new Option[] { _valueBytes, _indexDirectory })
        {
            if (!isOfTables && IsGiven(command, option))
                command.AddError($"{option.Name} is of a load of a table. Say with --entries how many entries it has.");
        }
    }

    private static bool IsGiven(CommandResult command, Option option) => command.GetResult(option) is { Implicit: false };
}
