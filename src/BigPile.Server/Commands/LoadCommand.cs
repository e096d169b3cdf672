using System;
using System.CommandLine;
using System.CommandLine.Parsing;

namespace BigPile.Server.Commands;

/// <summary>Defines the command <c>load</c>.</summary>
internal static class LoadCommand
{
    internal static Command Create()
    {
        var file = new Argument<string>("FILE") { Description = "A file of JSON lines, plain or gzip; one JSON object a line." };
        var table = new Option<string>("--table") { Description = "The table that the records go into.", Required = true };
        var key = new Option<string?>("--key")
        {
            Description =
                "The field whose value, a string or a number, is a record's key. Without it, lines are as the command export writes them.",
        };
        Option<string?> keyFile = ServerKey.CreateOption();
        (Option<string?> directory, Option<Uri?> url) = LocationOptions();
        var command = new Command(
            "load",
            "Puts each line of a file into a table. Exit code 0: all lines were loaded; 2: some were skipped; 1: the load failed.")
        {
            file, table, key, directory, url, keyFile,
        };
        AllowOneLocation(command, directory, url);
        command.SetAction((result, cancellationToken) =>
        {
            var run = new LoadRun(result.InvocationConfiguration.Output, result.InvocationConfiguration.Error)
            {
                File = result.GetRequiredValue(file),
                TableName = result.GetRequiredValue(table),
                KeyField = result.GetValue(key),
                Directory = result.GetValue(directory),
                Server = result.GetValue(url),
                KeyFile = result.GetValue(keyFile),
            };
            return run.RunAsync(cancellationToken);
        });
        return command;
    }

    /// <summary>The options that select the pile: a directory or a running server.</summary>
    internal static (Option<string?> Directory, Option<Uri?> Url) LocationOptions() => (
        new Option<string?>("--directory")
        {
            Description = "The pile's directory, while no server runs on it. Default: the setting Pile:Directory, else ./data.",
        },
        new Option<Uri?>(
            "--url") { Description = "The address of a running server, such as http://127.0.0.1:5080.", CustomParser = ParseUrl });

    /// <summary>Refuses both options at once.</summary>
    internal static void AllowOneLocation(Command command, Option<string?> directory, Option<Uri?> url) =>
        command.Validators.Add(result =>
        {
            if (result.GetResult(directory) is { Implicit: false } && result.GetResult(url) is { Implicit: false })
                result.AddError("Use --directory or --url, not both.");
        });

    internal static Uri? ParseUrl(ArgumentResult result)
    {
        string text = result.Tokens.Count == 0 ? "" : result.Tokens[0].Value;
        if (Uri.TryCreate(text, UriKind.Absolute, out Uri? url) && url.Scheme is "http" or "https")
            return url;
        result.AddError($"'{text}' is no address of a server; one looks like http://127.0.0.1:5080.");
        return null;
    }
}
