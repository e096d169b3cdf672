using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Tasks;
using BigPile.AspNetCore.Problems;
using BigPile.Caching;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace BigPile.AspNetCore.Entries;

/// <summary>Answers GET and HEAD for an entry.</summary>
/// <remarks>
/// Value and version come from one optimistic read, so that body, length, content type and ETag always belong together. The read ends
/// before the first byte is sent: a slow client holds a pooled buffer and nothing of the pile.
/// </remarks>
internal static class EntryReader
{
    // A longer payload is sent in slices of this size, each after the client took the one before.
    private const int SliceBytes = 32 * 1024;

    internal static Task ReadAsync(HttpContext context, CacheTable<string, byte[]> table, ReadOnlySpan<byte> key)
    {
        bool wantsBody = context.Request.Method == "GET";
        StringValues ifNoneMatch = context.Request.Headers.IfNoneMatch;
        if (wantsBody && ifNoneMatch.Count == 0)
            return SendBody(context, table, key);

        Span<byte> start = stackalloc byte[StoredValue.MaxHeadBytes];
        if (!table.TryReadStartUtf8(key, start, out int copiedBytes, out EntryInfo info))
            return NotFound(context, table, key);
        string tag = EntityTag.Of(info.Version);
        if (EntityTag.IsNamedBy(ifNoneMatch, tag))
            return NotModified(context, tag);
        if (wantsBody)
            return SendBody(context, table, key);
        return StoredValue.TryReadHead(start[..copiedBytes], out string? contentType, out _, out int headBytes)
            ? SendHead(context.Response, contentType, info.ValueBytes - headBytes, tag)
            : NotServable(context, table, key);
    }

    private static Task SendBody(HttpContext context, CacheTable<string, byte[]> table, ReadOnlySpan<byte> key)
    {
        ValueBuffer? buffer = ValueBuffer.Rent();
        try
        {
            if (!table.TryReadUtf8(key, buffer, out EntryInfo info))
                return NotFound(context, table, key);
            if (!StoredValue.TryReadHead(buffer.WrittenSpan, out string? contentType, out _, out int headBytes))
                return NotServable(context, table, key);
            ReadOnlyMemory<byte> payload = buffer.WrittenMemory[headBytes..];
            HttpResponse response = context.Response;
            _ = SendHead(response, contentType, payload.Length, EntityTag.Of(info.Version));
            if (payload.Length <= SliceBytes)
            {
                response.BodyWriter.Write(payload.Span);
                return Task.CompletedTask;
            }
            Task sending = SendSlicesAsync(response.BodyWriter, payload, buffer);
            buffer = null;
            return sending;
        }
        finally
        {
            if (buffer != null)
                ValueBuffer.Return(buffer);
        }
    }

    private static async Task SendSlicesAsync(PipeWriter writer, ReadOnlyMemory<byte> payload, ValueBuffer buffer)
    {
        try
        {
            while (!payload.IsEmpty)
            {
                ReadOnlyMemory<byte> slice = payload[..Math.Min(SliceBytes, payload.Length)];
                FlushResult result = await writer.WriteAsync(slice).ConfigureAwait(false);
                if (result.IsCompleted || result.IsCanceled)
                    return;
                payload = payload[slice.Length..];
            }
        }
        finally
        {
            ValueBuffer.Return(buffer);
        }
    }

    private static Task SendHead(HttpResponse response, string contentType, int lengthBytes, string tag)
    {
        response.ContentType = contentType;
        response.ContentLength = lengthBytes;
        response.Headers.ETag = tag;
        return Task.CompletedTask;
    }

    private static Task NotModified(HttpContext context, string tag)
    {
        context.Response.StatusCode = StatusCodes.Status304NotModified;
        context.Response.Headers.ETag = tag;
        return Task.CompletedTask;
    }

    private static Task NotFound(HttpContext context, CacheTable table, ReadOnlySpan<byte> key) =>
        ProblemResponse.WriteAsync(context, ProblemCatalog.EntryNotFound.Of(table.Name, key));

    private static Task NotServable(HttpContext context, CacheTable table, ReadOnlySpan<byte> key) =>
        ProblemResponse.WriteAsync(context, ProblemCatalog.ForeignValue.Of(table.Name, key));
}
