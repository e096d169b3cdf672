using System;
using System.IO;
using System.IO.Pipelines;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Bulk;
using BigPile.Server.Loading;

namespace BigPile.Server.Commands;

/// <summary>Runs the command <c>export</c>.</summary>
internal sealed class ExportRun(TextWriter error) : TransferRun(error)
{
    private const int BufferBytes = 128 * 1024;

    /// <summary>The file to write; standard output when left out.</summary>
    internal string? File { get; init; }

    protected override string CommandName => "export";

    protected override string Stopped => "The export was stopped before its end.";

    protected override async Task<int> TransferAsync(CancellationToken cancellationToken)
    {
        ExportEnd end = File == null
            ? await ExportToAsync(Console.OpenStandardOutput(), cancellationToken).ConfigureAwait(false)
            : await ReplaceFileAsync(File, cancellationToken).ConfigureAwait(false);
        await Error.WriteLineAsync(
            $"Exported {Counted.Of(end.Entries, "entry", "entries")} of the table '{TableName}'."
            + (end.Skipped == 0 ? "" : $" {Counted.Of(end.Skipped, "other is", "others are")} none of the service, and left out."))
            .ConfigureAwait(false);
        return Done;
    }

    // Write to a temporary file first: a failed export must not destroy the previous one.
    private async Task<ExportEnd> ReplaceFileAsync(string path, CancellationToken cancellationToken)
    {
        string temporaryPath = path + ".new";
        try
        {
            ExportEnd end = await ExportToAsync(System.IO.File.Create(temporaryPath), cancellationToken).ConfigureAwait(false);
            System.IO.File.Move(temporaryPath, path, overwrite: true);
            return end;
        }
        catch
        {
            System.IO.File.Delete(temporaryPath);
            throw;
        }
    }

    private async Task<ExportEnd> ExportToAsync(Stream output, CancellationToken cancellationToken)
    {
        await using (output.ConfigureAwait(false))
        {
            return Server != null
                ? await CopyAsync(Server, output, cancellationToken).ConfigureAwait(false)
                : await WriteAsync(output, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<ExportEnd> WriteAsync(Stream output, CancellationToken cancellationToken)
    {
        using OfflinePile pile = OfflinePile.Open(Directory, keepsFormat: true, Error);
        if (!pile.Tables.TryGet(TableName, out CacheTable<string, byte[]>? table))
            throw new LoadException($"There is no table '{TableName}' with text keys.");
        var writer = PipeWriter.Create(output, new StreamPipeWriterOptions(leaveOpen: true));
        ExportEnd? end = await new BulkExport(table, writer).RunAsync(cancellationToken).ConfigureAwait(false);
        await writer.CompleteAsync().ConfigureAwait(false);
        return end!.Value;
    }

    private async Task<ExportEnd> CopyAsync(Uri server, Stream output, CancellationToken cancellationToken)
    {
        using HttpClient client = ServerClient.Make(ServerKey.Read(KeyFile));
        await HealthCheck.RequireReadyAsync(client, server, cancellationToken).ConfigureAwait(false);
        using var request = new HttpRequestMessage(HttpMethod.Get, ServerClient.AddressOf(server, $"/v1/tables/{TableName}:export"));
        using HttpResponseMessage response =
            await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken).ConfigureAwait(false);
        await ServerClient.RequireSuccessAsync(response, cancellationToken).ConfigureAwait(false);
        Stream content = await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        await using (content.ConfigureAwait(false))
        {
            byte[] last = await CopyAsync(content, output, cancellationToken).ConfigureAwait(false);
            return ExportEnd.TryParse(last, out ExportEnd end)
                ? end
                : throw new LoadException("The server stopped before the end of the table.");
        }
    }

    /// <returns>The last line.</returns>
    private static async Task<byte[]> CopyAsync(Stream content, Stream output, CancellationToken cancellationToken)
    {
        var buffer = new byte[BufferBytes];
        var line = new MemoryStream();
        int read;
        while ((read = await content.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) != 0)
        {
            await output.WriteAsync(buffer.AsMemory(0, read), cancellationToken).ConfigureAwait(false);
            Follow(line, buffer.AsSpan(0, read));
        }
        return line.ToArray();
    }

    // Keeps the last line: the unfinished one, or the one that the read ended with. A final line feed belongs to its line.
    private static void Follow(MemoryStream line, ReadOnlySpan<byte> read)
    {
        int end = read[..^1].LastIndexOf((byte)'\n');
        bool endsBefore = end < 0 && line.Length != 0 && line.GetBuffer()[line.Length - 1] == '\n';
        if (end >= 0 || endsBefore)
            line.SetLength(0);
        line.Write(read[(end + 1)..]);
    }
}
