using System;
using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.AspNetCore.Entries;
using BigPile.Caching;
using Microsoft.AspNetCore.Http;

namespace BigPile.AspNetCore.Batches;

/// <summary>Writes what became of the items of a batch.</summary>
internal static class BatchAnswer
{
    // So much is given to the connection before it is waited until the client took it.
    private const int FlushBytes = 64 * 1024;

    private static readonly JsonWriterOptions JsonOptions = new() { Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

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
        await response.StartAsync().ConfigureAwait(false); // so that what follows goes straight into the connection's buffer
        PipeWriter writer = response.BodyWriter;
        for (int at = 0; at < batch.Count;)
        {
            at = WriteFrames(writer, batch, at, time);
            FlushResult result = await writer.FlushAsync().ConfigureAwait(false);
            if (result.IsCompleted || result.IsCanceled)
                return;
        }
    }

    private static long LengthOf(Batch batch)
    {
        long lengthBytes = (long)batch.Count * BatchFrame.HeadBytes;
        foreach (ref readonly BatchItem item in batch.Items)
            lengthBytes += item.PayloadBytes + (item.ContentType?.Length ?? 0);
        return lengthBytes;
    }

    private static int WriteFrames(PipeWriter writer, Batch batch, int at, TimeProvider time)
    {
        ReadOnlySpan<byte> values = batch.Values.WrittenSpan;
        ReadOnlySpan<BatchItem> items = batch.Items;
        for (long written = 0; at < items.Length && written < FlushBytes; at++)
        {
            ref readonly BatchItem item = ref items[at];
            int typeBytes = item.ContentType?.Length ?? 0;
            Span<byte> head = writer.GetSpan(BatchFrame.HeadBytes + typeBytes);
            new BatchFrame(
                item.PayloadBytes, 0, typeBytes, (byte)item.Coding, item.Status, LifetimeOf(item.Info, time), item.Info.Version).Write(head);
            if (typeBytes != 0)
                _ = Encoding.ASCII.GetBytes(item.ContentType, head[BatchFrame.HeadBytes..]);
            writer.Advance(BatchFrame.HeadBytes + typeBytes);
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
        ValueBuffer document = ValueBuffer.Rent();
        try
        {
            using (var json = new Utf8JsonWriter(document, JsonOptions))
                WriteJson(json, batch);
            await SendAsync(response, MediaTypes.Json, document).ConfigureAwait(false);
        }
        finally
        {
            ValueBuffer.Return(document);
        }
    }

    private static void WriteJson(Utf8JsonWriter json, Batch batch)
    {
        ReadOnlySpan<byte> values = batch.Values.WrittenSpan;
        json.WriteStartObject();
        json.WriteStartArray("items"u8);
        for (int i = 0; i < batch.Count; i++)
        {
            BatchItem item = batch.Items[i];
            json.WriteStartObject();
            json.WriteString("key"u8, batch.Key(i));
            json.WriteNumber("status"u8, item.Status);
            if (item.Problem != null)
                json.WriteString("code"u8, item.Problem.Code);
            if (item.Info.Version != 0)
                json.WriteString("etag"u8, EntityTag.Of(item.Info.Version));
            if (item.Info.ExpiresAt is { } expiresAt)
                json.WriteString("expires"u8, expiresAt);
            if (item.ContentType != null)
            {
                json.WriteString("contentType"u8, item.ContentType);
                if (item.Coding != ContentCoding.Identity)
                    json.WriteString("encoding"u8, ContentCodings.NameOf(item.Coding));
                json.WriteBase64String("base64"u8, values.Slice(item.PayloadOffset, item.PayloadBytes));
            }
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static async Task WriteMultipartAsync(HttpResponse response, Batch batch)
    {
        // Drawn at random, so that no payload can hold it but by a chance of one in 2 to the power of 128.
        string boundary = Convert.ToHexString(RandomNumberGenerator.GetBytes(16));
        ValueBuffer document = ValueBuffer.Rent();
        try
        {
            for (int i = 0; i < batch.Count; i++)
                WritePart(document, boundary, batch, i);
            WriteText(document, $"--{boundary}--\r\n");
            await SendAsync(response, $"{BatchForms.Multipart}; boundary={boundary}", document).ConfigureAwait(false);
        }
        finally
        {
            ValueBuffer.Return(document);
        }
    }

    private static void WritePart(ValueBuffer document, string boundary, Batch batch, int index)
    {
        BatchItem item = batch.Items[index];
        string key = Uri.EscapeDataString(Encoding.UTF8.GetString(batch.Key(index)));
        WriteText(document, $"--{boundary}\r\nBigPile-Key: {key}\r\nBigPile-Status: {item.Status.ToString(CultureInfo.InvariantCulture)}\r\n");
        if (item.Problem != null)
            WriteText(document, $"BigPile-Code: {item.Problem.Code}\r\n");
        if (item.Info.Version != 0)
            WriteText(document, $"ETag: {EntityTag.Of(item.Info.Version)}\r\n");
        if (item.ContentType != null)
            WriteText(document, $"Content-Type: {item.ContentType}\r\n");
        if (item.Coding != ContentCoding.Identity)
            WriteText(document, $"Content-Encoding: {ContentCodings.NameOf(item.Coding)}\r\n");
        WriteText(document, $"Content-Length: {item.PayloadBytes.ToString(CultureInfo.InvariantCulture)}\r\n\r\n");
        document.Write(batch.Values.WrittenSpan.Slice(item.PayloadOffset, item.PayloadBytes));
        WriteText(document, "\r\n");
    }

    private static void WriteText(ValueBuffer document, string text) => Encoding.ASCII.GetBytes(text, document);

    private static Task SendAsync(HttpResponse response, string contentType, ValueBuffer document)
    {
        response.ContentType = contentType;
        response.ContentLength = document.WrittenSpan.Length;
        response.Headers.CacheControl = "no-store";
        return response.BodyWriter.WriteAsync(document.WrittenMemory).AsTask();
    }
}
