using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace BigPile.Http.Protocol;

/// <summary>
/// Sends a body in slices, each after the client has received the one before: the connection would keep a copy of a body that is written at
/// once.
/// </summary>
internal static class SlicedBody
{
    internal const int SliceBytes = 64 * 1024;

    /// <param name="response">The response.</param>
    /// <param name="body">The bytes.</param>
    /// <param name="holdsQuota">Whether the body, or later parts of the answer, occupy shared buffers.</param>
    /// <returns><see langword="false"/> when the client has gone.</returns>
    internal static async ValueTask<bool> SendAsync(HttpResponse response, ReadOnlyMemory<byte> body, bool holdsQuota)
    {
        while (!body.IsEmpty)
        {
            int lengthBytes = Math.Min(SliceBytes, body.Length);
            if (!await TryFlushAsync(
                response, response.BodyWriter.WriteAsync(body[..lengthBytes]), holdsQuota, lengthBytes).ConfigureAwait(false))
            {
                return false;
            }
            body = body[lengthBytes..];
        }
        return true;
    }

    /// <summary>Waits until the client has received a flush.</summary>
    /// <param name="response">The response.</param>
    /// <param name="flush">The flush.</param>
    /// <param name="holdsQuota">Whether later parts of the answer occupy shared buffers.</param>
    /// <param name="lengthBytes">The bytes that were flushed.</param>
    /// <returns><see langword="false"/> when the client has gone.</returns>
    internal static async ValueTask<bool> TryFlushAsync(
        HttpResponse response, ValueTask<FlushResult> flush, bool holdsQuota, long lengthBytes)
    {
        FlushResult result = await ClientWaits.ForAsync(response.HttpContext, flush, holdsQuota).ConfigureAwait(false);
        if (holdsQuota)
            ClientWaits.RecordProgress(response.HttpContext, lengthBytes);
        return !result.IsCompleted && !result.IsCanceled;
    }

    /// <summary>Sends a short body in one write.</summary>
    // Kestrel flushes its own buffer when the response ends, together with pipelined responses. A body feature that middleware has
    // substituted forwards only what is flushed.
    internal static Task SendAtOnce(HttpResponse response, ReadOnlySpan<byte> payload)
    {
        PipeWriter writer = response.BodyWriter;
        writer.Write(payload);
        return IsOfServer(response.HttpContext.Features) ? Task.CompletedTask : FlushAsync(writer);
    }

    private static async Task FlushAsync(PipeWriter writer) => await writer.FlushAsync().ConfigureAwait(false);

    // The server implements all its features by one object; a substituted feature is another object.
    private static bool IsOfServer(IFeatureCollection features) =>
        ReferenceEquals(features.Get<IHttpResponseBodyFeature>(), features.Get<IHttpRequestLifetimeFeature>());
}
