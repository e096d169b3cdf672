using System;
using System.CommandLine;
using System.IO;
using System.Net.Http;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Api;
using BigPile.Http.Metrics;

namespace BigPile.Server.Commands;

/// <summary>The command <c>stats</c>: prints what <c>/v1/stats</c> returns.</summary>
internal static class StatsCommand
{
    private const int Done = 0;
    private const int Failed = 1;

    private static readonly JsonSerializerOptions Indented =
        new() { WriteIndented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    internal static Command Create()
    {
        Option<string?> keyFile = ServerKey.CreateOption();
        (Option<string?> directory, Option<Uri?> url) = LoadCommand.LocationOptions();
        var database = new Option<string?>("--database")
        {
            Description = "The file of a hash database that no process writes, in the place of a pile.",
        };
        var command = new Command(
            "stats", "Tells what a pile and its tables hold, or a hash database, as JSON. Exit code 0: here it is; 1: it can't be had.")
        {
            directory, url, database, keyFile,
        };
        LoadCommand.AllowOneLocation(command, directory, url);
        command.Validators.Add(result =>
        {
            if (result.GetResult(database) is { Implicit: false }
                && (result.GetResult(directory) is { Implicit: false } || result.GetResult(url) is { Implicit: false }))
            {
                result.AddError("Use --database alone: it is another thing than a pile.");
            }
        });
        command.SetAction((result, cancellationToken) => RunAsync(
            result.GetValue(directory), result.GetValue(url), result.GetValue(database), result.GetValue(keyFile),
            result.InvocationConfiguration.Output, result.InvocationConfiguration.Error, cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        string? directory, Uri? server, string? database, string? keyFile, TextWriter output, TextWriter error,
        CancellationToken cancellationToken)
    {
        try
        {
            JsonNode? report = database != null ? DatabaseFile.Describe(database)
                : server == null ? Read(directory, error)
                : await AskAsync(server, keyFile, cancellationToken).ConfigureAwait(false);
            await output.WriteLineAsync(report!.ToJsonString(Indented)).ConfigureAwait(false);
            return Done;
        }
        catch (Exception e) when (ServerClient.IsExplained(e))
        {
            await error.WriteLineAsync($"The statistics can't be had: {ServerClient.Explain(e)}").ConfigureAwait(false);
            return Failed;
        }
    }

    private static JsonNode? Read(string? directory, TextWriter error)
    {
        using OfflinePile pile = OfflinePile.Open(directory, keepsFormat: true, error);
        TimeProvider time = TimeProvider.System;
        var idle = new ActivityMeter(new EntryLatency(time), time);
        return JsonSerializer.SerializeToNode(StatsReport.Of(pile.Tables.Cache, idle, time), ReportJson.Default.StatsReport);
    }

    private static async Task<JsonNode?> AskAsync(Uri server, string? keyFile, CancellationToken cancellationToken)
    {
        using HttpClient client = ServerClient.Make(ServerKey.Read(keyFile));
        await HealthCheck.RequireReadyAsync(client, server, cancellationToken).ConfigureAwait(false);
        using HttpResponseMessage response =
            await client.GetAsync(ServerClient.AddressOf(server, "/v1/stats"), cancellationToken).ConfigureAwait(false);
        await ServerClient.RequireSuccessAsync(response, cancellationToken).ConfigureAwait(false);
        return JsonNode.Parse(await response.Content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false));
    }
}
