using System;
using System.IO;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Entries;
using BigPile.Caching;
using BigPile.Server.Hosting;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>Runs the command <c>load</c>.</summary>
internal sealed class LoadRun(string file, string tableName, string keyField, string? directory, Uri? url)
{
    private const int Done = 0;
    private const int Failed = 1;
    private const int SomeSkipped = 2;

    private readonly TimeProvider _time = TimeProvider.System;
    private ProgressBar? _bar;

    /// <summary>Loads.</summary>
    /// <returns>The exit code.</returns>
    internal async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            if (!TableName.IsValid(tableName))
                throw new LoadException($"'{tableName}' is no name of a table. A name has 1 to 128 characters of A-Z, a-z, 0-9, '.', '_' and '-'.");
            return await LoadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (IsExplained(e))
        {
            await Console.Error.WriteLineAsync($"The load failed: {e.Message}").ConfigureAwait(false);
            return Failed;
        }
        catch (OperationCanceledException)
        {
            await Console.Error.WriteLineAsync("The load was stopped. What was loaded stays; load again to get the rest.").ConfigureAwait(false);
            return Failed;
        }
    }

    private async Task<int> LoadAsync(CancellationToken cancellationToken)
    {
        var tally = new LoadTally(_time, ReportSkipped);
        SourceFile source = await SourceFile.OpenAsync(file, cancellationToken).ConfigureAwait(false);
        await using (source.ConfigureAwait(false))
        {
            using ProgressBar? bar = Console.IsErrorRedirected ? null : new ProgressBar(Console.Error, _time, () => source.Progress, tally);
            _bar = bar;
            if (url != null)
                await LoadOverHttpAsync(source.Content, url, tally, cancellationToken).ConfigureAwait(false);
            else
                await LoadIntoDirectoryAsync(source.Content, tally, cancellationToken).ConfigureAwait(false);
        }
        Summarize(tally);
        return tally.Skipped == 0 ? Done : SomeSkipped;
    }

    private async Task LoadOverHttpAsync(Stream content, Uri server, LoadTally tally, CancellationToken cancellationToken)
    {
        using var client = new HttpClient();
        await HealthCheck.RequireReadyAsync(client, server, cancellationToken).ConfigureAwait(false);
        var sink = new HttpSink(client, server, tableName, tally);
        await new Loader(keyField, sink, tally).RunAsync(content, cancellationToken).ConfigureAwait(false);
    }

    private async Task LoadIntoDirectoryAsync(Stream content, LoadTally tally, CancellationToken cancellationToken)
    {
        ServerSettings settings = ServerSettings.Read(SettingsFile.Read());
        string path = directory == null ? settings.Directory : Path.GetFullPath(directory);
        var options = new PileOptions { SegmentBytes = settings.SegmentBytes, MaxBytes = settings.MaxBytes };
        using var cache = new PileCache(Pile.Open(path, options), ownsPile: true);
        await new Loader(keyField, new TableSink(cache, tableName, tally), tally).RunAsync(content, cancellationToken).ConfigureAwait(false);
    }

    private void ReportSkipped(long lineNumber, string reason)
    {
        string line = $"Line {lineNumber} skipped: {reason}";
        if (_bar is { } bar)
            bar.WriteLine(line);
        else
            Console.Error.WriteLine(line);
    }

    private void Summarize(LoadTally tally)
    {
        double seconds = tally.Elapsed.TotalSeconds;
        Console.WriteLine(
            $"Loaded {tally.Records:N0} records, {tally.Bytes:N0} bytes, into the table '{tableName}' in {seconds:F2} s ({tally.Records / seconds:N0} records/s).");
        if (tally.Skipped != 0)
            Console.WriteLine($"Skipped {tally.Skipped:N0} lines; see above.");
    }

    private static bool IsExplained(Exception exception) =>
        exception is LoadException or SettingsException or PileException or HttpRequestException or ArgumentException { ParamName: "options" }
            or IOException or InvalidDataException or UnauthorizedAccessException;
}
