using System;
using System.IO;
using System.Net.Http;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Bulk;
using BigPile.Http.Entries;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>Runs the command <c>load</c>.</summary>
internal sealed class LoadRun(TextWriter output, TextWriter error) : TransferRun(error)
{
    private const int SomeSkipped = 2;

    private readonly TimeProvider _time = TimeProvider.System;
    private ProgressBar? _bar;

    internal required string File { get; init; }

    /// <summary>The field with a record's key; <see langword="null"/>: lines are in the format of an export.</summary>
    internal string? KeyField { get; init; }

    private bool HasTerminal => ReferenceEquals(Error, Console.Error) && !Console.IsErrorRedirected;

    protected override string CommandName => "load";

    protected override string Stopped => "The load was stopped. What was loaded stays; load again to get the rest.";

    protected override async Task<int> TransferAsync(CancellationToken cancellationToken)
    {
        var tally = new LoadTally(_time, ReportSkipped);
        SourceFile source = await SourceFile.OpenAsync(File, cancellationToken).ConfigureAwait(false);
        await using (source.ConfigureAwait(false))
        {
            using ProgressBar? bar = HasTerminal ? new ProgressBar(Error, _time, () => source.Progress, tally) : null;
            _bar = bar;
            if (Server != null)
                await LoadOverHttpAsync(source.Content, Server, tally, cancellationToken).ConfigureAwait(false);
            else
                await LoadIntoDirectoryAsync(source.Content, tally, cancellationToken).ConfigureAwait(false);
        }
        Summarize(tally);
        return tally.Skipped == 0 ? Done : SomeSkipped;
    }

    private async Task LoadOverHttpAsync(Stream content, Uri server, LoadTally tally, CancellationToken cancellationToken)
    {
        using HttpClient client = ServerClient.Make(ServerKey.Read(KeyFile));
        await HealthCheck.RequireReadyAsync(client, server, cancellationToken).ConfigureAwait(false);
        string query = KeyField == null ? "" : "?key=" + Uri.EscapeDataString(KeyField);
        using var request = new HttpRequestMessage(HttpMethod.Post, ServerClient.AddressOf(server, $"/v1/tables/{TableName}:load{query}"));
        request.Content = new StreamContent(content);
        using HttpResponseMessage response = await client.SendAsync(request, cancellationToken).ConfigureAwait(false);
        await ServerClient.RequireSuccessAsync(response, cancellationToken).ConfigureAwait(false);
        using JsonDocument answer =
            JsonDocument.Parse(await response.Content.ReadAsByteArrayAsync(cancellationToken).ConfigureAwait(false));
        TakeOver(answer.RootElement, tally);
    }

    private void TakeOver(JsonElement answer, LoadTally tally)
    {
        long Number(string name) => answer.GetProperty(name).GetInt64();
        JsonElement errors = answer.GetProperty("errors");
        foreach (JsonElement skipped in errors.EnumerateArray())
            ReportSkipped(skipped.GetProperty("line").GetInt64(), skipped.GetProperty("reason").GetString()!);
        tally.Set(Number("records"), Number("bytes"), Number("replaced"), Number("expired"), Number("skipped"));
        if (tally.Skipped > errors.GetArrayLength())
            Error.WriteLine($"… and {Counted.Of(tally.Skipped - errors.GetArrayLength(), "more line")}");
    }

    private async Task LoadIntoDirectoryAsync(Stream content, LoadTally tally, CancellationToken cancellationToken)
    {
        using OfflinePile pile = OfflinePile.Open(Directory, keepsFormat: false, Error);
        var target = new PutTarget(pile.Tables, TableName);
        if (target.Check() is { } refusal)
            throw new LoadException($"The table '{TableName}' takes no lines. {refusal.Title} {refusal.Detail}");
        using var load = new BulkLoad(target.Require, KeyField, pile.MaxBodyBytes, tally, _time);
        await load.RunAsync(content, cancellationToken).ConfigureAwait(false);
    }

    private void ReportSkipped(long lineNumber, string reason)
    {
        string line = $"Line {lineNumber} skipped: {reason}";
        if (_bar is { } bar)
            bar.WriteLine(line);
        else
            Error.WriteLine(line);
    }

    private void Summarize(LoadTally tally)
    {
        double seconds = tally.Elapsed.TotalSeconds;
        output.WriteLine(
            $"Loaded {Counted.Of(tally.Records, "record")}, {Counted.Of(tally.Bytes, "byte")}, into the table '{TableName}' "
            + $"in {seconds:F2} s ({tally.Records / seconds:N0} records/s).");
        if (tally.Replaced != 0)
            output.WriteLine($"{tally.Replaced:N0} of them replaced an entry with the same key.");
        if (tally.Expired != 0)
            output.WriteLine($"{tally.Expired:N0} more had expired, and {(tally.Expired == 1 ? "was" : "were")} left out.");
        if (tally.Skipped != 0)
            output.WriteLine($"Skipped {Counted.Of(tally.Skipped, "line")}; see above.");
    }
}
