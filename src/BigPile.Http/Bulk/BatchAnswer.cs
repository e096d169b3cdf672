using System;
using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Bulk;

/// <summary>Writes the results of a batch.</summary>
internal static class BatchAnswer
{
    // The slice of a payload that is encoded at once; base64 makes four characters of three bytes.
    private const int SegmentBytes = 48 * 1024;

    private static readonly JsonWriterOptions JsonOptions =
        new() { Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    internal static Task WriteAsync(HttpContext context, Batch batch, BatchForm form, TimeProvider time) => form switch
    {
        BatchForm.Binary => WriteBinaryAsync(context.Response, batch, time),
        BatchForm.Multipart => WriteMultipartAsync(context.Response, batch),
        _ => WriteJsonAsync(context.Response, batch),
    };

    private static async Task WriteBinaryAsync(HttpResponse response, Batch batch, TimeProvider time)
    {
        response.ContentType = BatchForms.Binary;
        response.ContentLength = LengthOf(batch);
        await response.StartAsync().ConfigureAwait(false); // so that the writer writes straight into the connection's buffer
        PipeWriter writer = response.BodyWriter;
        for (int at = 0; at < batch.Count;)
        {
            at = WriteFrames(writer, batch, at, time, out ReadOnlyMemory<byte> large);
            int writtenBytes = (int)writer.UnflushedBytes;
            if (!await SlicedBody.TryFlushAsync(response, writer.FlushAsync(), holdsQuota: true, writtenBytes).ConfigureAwait(false)
                || !await SlicedBody.SendAsync(response, large, holdsQuota: true).ConfigureAwait(false))
            {
                return;
            }
        }
    }

    private static long LengthOf(Batch batch)
    {
        long lengthBytes = (long)batch.Count * BatchFrame.HeadBytes;
        foreach (ref readonly BatchItem item in batch.Items)
            lengthBytes += item.PayloadBytes + (item.ContentType?.Length ?? 0);
        return lengthBytes;
    }

    /// <summary>Writes frames until enough is buffered to send.</summary>
    /// <returns>The next frame; a payload that is too large for the buffer must be sent first.</returns>
    private static int WriteFrames(PipeWriter writer, Batch batch, int at, TimeProvider time, out ReadOnlyMemory<byte> large)
    {
        large = default;
        ReadOnlySpan<byte> values = batch.Values.WrittenSpan;
        ReadOnlySpan<BatchItem> items = batch.Items;
        for (long written = 0; at < items.Length && written < BatchDocument.FlushBytes; at++)
        {
            ref readonly BatchItem item = ref items[at];
            int typeBytes = item.ContentType?.Length ?? 0;
            Span<byte> head = writer.GetSpan(BatchFrame.HeadBytes + typeBytes);
            new BatchFrame(
                item.PayloadBytes, 0, typeBytes, (byte)item.Coding, item.Status, LifetimeOf(item.Info, time),
                item.Info.Version).Write(head);
            if (typeBytes != 0)
                _ = Encoding.ASCII.GetBytes(item.ContentType, head[BatchFrame.HeadBytes..]);
            writer.Advance(BatchFrame.HeadBytes + typeBytes);
            if (item.PayloadBytes > BatchDocument.FlushBytes)
            {
                large = batch.Values.WrittenMemory.Slice(item.PayloadOffset, item.PayloadBytes);
                return at + 1;
            }
            writer.Write(values.Slice(item.PayloadOffset, item.PayloadBytes));
            written += BatchFrame.HeadBytes + typeBytes + item.PayloadBytes;
        }
        return at;
    }

    private static uint LifetimeOf(in EntryInfo info, TimeProvider time)
    {
        if (info.ExpiresAt is not { } expiresAt)
            return 0;
        double seconds = Math.Ceiling((expiresAt - time.GetUtcNow()).TotalSeconds);
        return (uint)Math.Clamp(seconds, 1, uint.MaxValue);
    }

    private static async Task WriteJsonAsync(HttpResponse response, Batch batch)
    {
        Begin(response, MediaTypes.Json);
        using var document = new BatchDocument(response, batch.Quota);
        using var json = new Utf8JsonWriter(document.Bytes, JsonOptions);
        json.WriteStartObject();
        json.WriteStartArray("items"u8);
        for (int i = 0; i < batch.Count; i++)
        {
            int start = WriteItem(json, batch, i);
            for (int at = start; at >= 0;)
            {
                at = WritePayload(json, batch, i, at);
                if (!await TryDrainAsync(json, document).ConfigureAwait(false))
                    return;
            }
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
        await document.EndAsync().ConfigureAwait(false);
    }

    /// <summary>Writes an item except its payload.</summary>
    /// <returns>The offset of the payload to begin at; -1: there is none.</returns>
    private static int WriteItem(Utf8JsonWriter json, Batch batch, int index)
    {
        BatchItem item = batch.Items[index];
        json.WriteStartObject();
        if (ClientText.CanEcho(batch.Key(index)))
            json.WriteString("key"u8, batch.Key(index));
        else
            json.WriteString("key"u8, ClientText.Echo(batch.Key(index)));
        json.WriteNumber("status"u8, item.Status);
        if (item.Problem != null)
            json.WriteString("code"u8, item.Problem.Code);
        if (item.Info.Version != 0)
            json.WriteString("etag"u8, EntityTag.Of(item.Info.Version));
        if (item.Info.ExpiresAt is { } expiresAt)
            json.WriteString("expires"u8, expiresAt);
        if (item.ContentType == null)
            return -1;
        json.WriteString("contentType"u8, item.ContentType);
        if (item.Coding != ContentCoding.Identity)
            json.WriteString("encoding"u8, ContentCodings.NameOf(item.Coding));
        json.WritePropertyName("base64"u8);
        return 0;
    }

    /// <summary>Writes the next slice of a payload.</summary>
    /// <returns>The next offset; -1 at the end.</returns>
    private static int WritePayload(Utf8JsonWriter json, Batch batch, int index, int at)
    {
        ref readonly BatchItem item = ref batch.Items[index];
        ReadOnlySpan<byte> payload = batch.Values.WrittenSpan.Slice(item.PayloadOffset, item.PayloadBytes);
        if (payload.Length <= SegmentBytes)
        {
            json.WriteBase64StringValue(payload);
            return -1;
        }
        int lengthBytes = Math.Min(SegmentBytes, payload.Length - at);
        bool isLast = at + lengthBytes == payload.Length;
        json.WriteBase64StringSegment(payload.Slice(at, lengthBytes), isLast);
        return isLast ? -1 : at + lengthBytes;
    }

    private static ValueTask<bool> TryDrainAsync(Utf8JsonWriter json, BatchDocument document)
    {
        if (json.BytesPending + document.Bytes.WrittenSpan.Length < BatchDocument.FlushBytes)
            return ValueTask.FromResult(true);
        json.Flush();
        return document.TryDrainAsync();
    }

    private static async Task WriteMultipartAsync(HttpResponse response, Batch batch)
    {
        // Random, so that a payload contains it with a chance of only 2^-128.
        string boundary = Convert.ToHexString(RandomNumberGenerator.GetBytes(16));
        Begin(response, $"{BatchForms.Multipart}; boundary={boundary}");
        using var document = new BatchDocument(response, batch.Quota);
        for (int i = 0; i < batch.Count; i++)
        {
            ReadOnlyMemory<byte> payload = WritePart(document.Bytes, boundary, batch, i);
            while (!payload.IsEmpty)
            {
                int lengthBytes = Math.Min(SegmentBytes, payload.Length);
                document.Bytes.Write(payload.Span[..lengthBytes]);
                payload = payload[lengthBytes..];
                if (!await document.TryDrainAsync().ConfigureAwait(false))
                    return;
            }
            WriteText(document.Bytes, "\r\n");
            if (!await document.TryDrainAsync().ConfigureAwait(false))
                return;
        }
        WriteText(document.Bytes, $"--{boundary}--\r\n");
        await document.EndAsync().ConfigureAwait(false);
    }

    /// <summary>Writes the head of a part.</summary>
    /// <returns>The payload that follows it.</returns>
    private static ReadOnlyMemory<byte> WritePart(ValueBuffer document, string boundary, Batch batch, int index)
    {
        BatchItem item = batch.Items[index];
        string key = Uri.EscapeDataString(ClientText.Echo(batch.Key(index)));
        WriteText(
            document, $"--{boundary}\r\nBigPile-Key: {key}\r\nBigPile-Status: {item.Status.ToString(CultureInfo.InvariantCulture)}\r\n");
        if (item.Problem != null)
            WriteText(document, $"BigPile-Code: {item.Problem.Code}\r\n");
        if (item.Info.Version != 0)
            WriteText(document, $"ETag: {EntityTag.Of(item.Info.Version)}\r\n");
        if (item.ContentType != null)
            WriteText(document, $"Content-Type: {item.ContentType}\r\n");
        if (item.Coding != ContentCoding.Identity)
            WriteText(document, $"Content-Encoding: {ContentCodings.NameOf(item.Coding)}\r\n");
        WriteText(document, $"Content-Length: {item.PayloadBytes.ToString(CultureInfo.InvariantCulture)}\r\n\r\n");
        return batch.Values.WrittenMemory.Slice(item.PayloadOffset, item.PayloadBytes);
    }

    private static void WriteText(ValueBuffer document, string text) => Encoding.ASCII.GetBytes(text, document);

    private static void Begin(HttpResponse response, string contentType)
    {
        response.ContentType = contentType;
        response.Headers.CacheControl = "no-store";
    }
}
