using System;
using System.CommandLine;

namespace BigPile.Server.Commands;

/// <summary>Defines the command <c>export</c>.</summary>
internal static class ExportCommand
{
    internal static Command Create()
    {
        var table = new Option<string>("--table") { Description = "The table whose entries are written.", Required = true };
        var file = new Option<string?>("--out") { Description = "The file to write; standard output when left out." };
        Option<string?> keyFile = ServerKey.CreateOption();
        (Option<string?> directory, Option<Uri?> url) = LoadCommand.LocationOptions();
        var command = new Command(
            "export",
            "Writes all entries of a table as JSON lines, which load reads again without --key. Exit code 0: all were written; 1: the "
            + "export failed.")
        {
            table, file, directory, url, keyFile,
        };
        LoadCommand.AllowOneLocation(command, directory, url);
        command.SetAction((result, cancellationToken) =>
        {
            var run = new ExportRun(result.InvocationConfiguration.Error)
            {
                TableName = result.GetRequiredValue(table),
                File = result.GetValue(file),
                Directory = result.GetValue(directory),
                Server = result.GetValue(url),
                KeyFile = result.GetValue(keyFile),
            };
            return run.RunAsync(cancellationToken);
        });
        return command;
    }
}
