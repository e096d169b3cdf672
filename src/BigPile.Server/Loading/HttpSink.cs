using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using BigPile.AspNetCore.Entries;

namespace BigPile.Server.Loading;

/// <summary>Puts records into a table of a running server, several at a time.</summary>
/// <remarks>Records with the same key go through the same worker, so that they arrive in the order of their lines.</remarks>
internal sealed class HttpSink : IRecordSink
{
    private const int WorkerCount = 8;
    private const int QueueLength = 16;
    private const int AskFirstBytes = 1 << 20;

    private static readonly MediaTypeHeaderValue Json = new(MediaTypes.Json);

    private readonly HttpClient _client;
    private readonly Uri _server;
    private readonly string _tableName;
    private readonly LoadTally _tally;
    private readonly Channel<Record>[] _queues = [.. Enumerable.Range(0, WorkerCount).Select(static _ => Channel.CreateBounded<Record>(QueueLength))];
    private readonly Task[] _workers;

    internal HttpSink(HttpClient client, Uri server, string tableName, LoadTally tally)
    {
        _client = client;
        _server = server;
        _tableName = tableName;
        _tally = tally;
        _workers = [.. _queues.Select(queue => Task.Run(() => SendAllAsync(queue)))];
    }

    /// <inheritdoc/>
    public async ValueTask PutAsync(
        long lineNumber, ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> record, CancellationToken cancellationToken)
    {
        var copy = new Record(lineNumber, Encoding.UTF8.GetString(key.Span), record.ToArray());
        int worker = (int)((uint)copy.Key.GetHashCode(StringComparison.Ordinal) % WorkerCount);
        try
        {
            await _queues[worker].Writer.WriteAsync(copy, cancellationToken).ConfigureAwait(false);
        }
        catch (ChannelClosedException)
        {
            await CompleteAsync().ConfigureAwait(false); // throws what the worker failed with
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask CompleteAsync()
    {
        foreach (Channel<Record> queue in _queues)
            queue.Writer.TryComplete();
        await Task.WhenAll(_workers).ConfigureAwait(false);
    }

    private async Task SendAllAsync(Channel<Record> queue)
    {
        try
        {
            await foreach (Record record in queue.Reader.ReadAllAsync().ConfigureAwait(false))
                await SendAsync(record).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            queue.Writer.TryComplete(e);
            throw;
        }
    }

    private async Task SendAsync(Record record)
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, AddressOf(record.Key));
        request.Content = new ByteArrayContent(record.Bytes);
        request.Content.Headers.ContentType = Json;
        request.Headers.ExpectContinue = record.Bytes.Length >= AskFirstBytes; // a refusal is read before the body is sent
        using HttpResponseMessage response = await _client.SendAsync(request).ConfigureAwait(false);
        if (response.IsSuccessStatusCode)
            _tally.CountRecord(record.Bytes.Length, response.StatusCode != HttpStatusCode.Created);
        else if (response.StatusCode is HttpStatusCode.BadRequest or HttpStatusCode.RequestEntityTooLarge)
            _tally.Skip(record.LineNumber, $"the server refused it: {await ReasonAsync(response).ConfigureAwait(false)}");
        else
            throw new LoadException($"The server answered line {record.LineNumber} with {await ReasonAsync(response).ConfigureAwait(false)}");
    }

    // The address goes out as it is written here: the client's own tidying must not change a key.
    private Uri AddressOf(string key) => new(
        _server.GetLeftPart(UriPartial.Path).TrimEnd('/') + EntryTarget.PathOf(_tableName, key),
        new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });

    private static async Task<string> ReasonAsync(HttpResponseMessage response)
    {
        string body = await response.Content.ReadAsStringAsync().ConfigureAwait(false);
        return $"{(int)response.StatusCode} {response.ReasonPhrase} {body}".TrimEnd();
    }

    private readonly record struct Record(long LineNumber, string Key, byte[] Bytes);
}
