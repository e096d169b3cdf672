using System;
using System.IO.Pipelines;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Bulk;

/// <summary>Writes the entries of a table as JSON lines, which <see cref="BulkLoad"/> reads.</summary>
/// <remarks>
/// Weakly consistent: an entry that exists during the whole export is written once; one that meanwhile leaves memory at a limit, or
/// returns, at least once. Reads are peeks: they neither prolong a sliding expiration nor protect from eviction. A JSON payload is written
/// as it is if that yields the same bytes again; any other in base64. Tags are written as hashes, the same in every pile. Versions are not
/// written: a put assigns a new one. Memory: the longest line.
/// </remarks>
/// <param name="table">The table.</param>
/// <param name="destination">The destination.</param>
/// <param name="quota">The quota that long lines are charged to; <see langword="null"/>: they are not counted.</param>
/// <param name="client">The request that is answered; <see langword="null"/>: the destination is not a response.</param>
internal sealed class BulkExport(
    CacheTable<string, byte[]> table, PipeWriter destination, BufferQuota? quota = null, HttpContext? client = null)
{
    private const int FlushBytes = 64 * 1024;

    private readonly Utf8JsonWriter _json = new(
        destination, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true });
    private long _entries;
    private long _skipped;
    private long _unflushedBytes;

    /// <summary>Entries written so far.</summary>
    internal long Entries => Volatile.Read(ref _entries);

    /// <summary>Writes everything.</summary>
    /// <returns>The last line; <see langword="null"/> if the reader has gone.</returns>
    internal async Task<ExportEnd?> RunAsync(CancellationToken cancellationToken)
    {
        foreach (StoredEntry entry in table.StoredEntries())
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!await TryWriteAsync(entry, cancellationToken).ConfigureAwait(false))
                return null;
        }
        var end = new ExportEnd(_entries, _skipped);
        end.Write(_json);
        EndLine();
        return await TryFlushAsync(holdsQuota: false, cancellationToken).ConfigureAwait(false) ? end : null;
    }

    // A long line is charged until the client has received it.
    private async ValueTask<bool> TryWriteAsync(StoredEntry entry, CancellationToken cancellationToken)
    {
        long lineBytes = entry.Info.ValueBytes / 3L * 4;
        if (quota == null || lineBytes < FlushBytes)
        {
            Write(entry);
            return _unflushedBytes < FlushBytes || await TryFlushAsync(holdsQuota: false, cancellationToken).ConfigureAwait(false);
        }
        quota.Take(lineBytes);
        try
        {
            Write(entry);
            return await TryFlushAsync(holdsQuota: true, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            quota.Return(lineBytes);
        }
    }

    private async ValueTask<bool> TryFlushAsync(bool holdsQuota, CancellationToken cancellationToken)
    {
        long flushedBytes = _unflushedBytes;
        _unflushedBytes = 0;
        ValueTask<FlushResult> flush = destination.FlushAsync(cancellationToken);
        if (client != null)
            return await SlicedBody.TryFlushAsync(client.Response, flush, holdsQuota, flushedBytes).ConfigureAwait(false);
        FlushResult result = await flush.ConfigureAwait(false);
        return !result.IsCompleted && !result.IsCanceled;
    }

    private void Write(in StoredEntry walked)
    {
        // The metadata again, with the value, as both must be of one version.
        if (!table.ByUtf8().TryPeek(walked.Key.Span, out StoredEntry entry, out PileLease? lease))
            return;
        using (lease)
            WriteEntry(entry, lease.Kind == PayloadKind.Bytes ? lease.Span : default);
    }

    private void WriteEntry(in StoredEntry entry, ReadOnlySpan<byte> value)
    {
        if (!StoredValue.TryReadHead(value, out string? contentType, out ContentCoding coding, out int headBytes))
        {
            _skipped++;
            return;
        }
        ReadOnlySpan<byte> payload = value[headBytes..];
        _json.WriteStartObject();
        _json.WriteString("key"u8, entry.Key.Span);
        bool isInline = contentType == MediaTypes.Json && coding == ContentCoding.Identity && CanStandInLine(payload);
        if (!isInline)
            _json.WriteString("contentType"u8, contentType);
        if (coding != ContentCoding.Identity)
            _json.WriteString("encoding"u8, ContentCodings.NameOf(coding));
        WriteAttributes(entry.Attributes);
        if (isInline)
        {
            _json.WritePropertyName("value"u8);
            _json.WriteRawValue(payload, skipInputValidation: true);
        }
        else
        {
            _json.WriteBase64String("base64"u8, payload);
        }
        _json.WriteEndObject();
        EndLine();
        Interlocked.Increment(ref _entries);
    }

    private void WriteAttributes(in EntryAttributes attributes)
    {
        if (attributes.EndsAt is { } end)
            _json.WriteString("expires"u8, end.UtcDateTime);
        if (attributes.Sliding is { } sliding)
        {
            _json.WriteString("sliding"u8, SlidingText.Of(sliding));
            _json.WriteString("unusedUntil"u8, attributes.ExpiresAt!.Value.UtcDateTime);
        }
        if (attributes.FailSafeMaxAge is { } failSafe)
            _json.WriteString("failSafe"u8, SlidingText.Of(failSafe));
        if (attributes.Priority != EntryPriority.Normal)
            _json.WriteString("priority"u8, Priorities.NameOf(attributes.Priority));
        TagHashList.Write(_json, attributes.TagHashes.Span);
    }

    private void EndLine()
    {
        _json.Flush();
        _unflushedBytes += _json.BytesCommitted + 1;
        _json.Reset();
        destination.GetSpan(1)[0] = (byte)'\n';
        destination.Advance(1);
    }

    // A single JSON value in UTF-8, without surrounding space and without a line break: a load restores the same bytes.
    private static bool CanStandInLine(ReadOnlySpan<byte> payload)
    {
        if (payload.IsEmpty || payload.IndexOfAny((byte)'\n', (byte)'\r') >= 0 || !Utf8.IsValid(payload))
            return false;
        try
        {
            var json = new Utf8JsonReader(payload, new JsonReaderOptions { MaxDepth = RecordKey.MaxDepth / 2 });
            if (!json.Read() || json.TokenStartIndex != 0)
                return false;
            json.Skip();
            return json.BytesConsumed == payload.Length && !json.Read();
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
