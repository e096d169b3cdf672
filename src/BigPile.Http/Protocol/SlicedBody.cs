using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace BigPile.Http.Protocol;

/// <summary>
/// Sends a body piece by piece, each when the client took the one before: the connection would keep a copy of what it is given at once.
/// </summary>
internal static class SlicedBody
{
    /// <summary>The bytes of a piece.</summary>
    internal const int SliceBytes = 64 * 1024;

    /// <param name="response">Where it goes.</param>
    /// <param name="body">The bytes.</param>
    /// <param name="holdsQuota">Whether they, or more behind them, lie in buffers that all requests share.</param>
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

    /// <summary>Waits for the client to take what was flushed.</summary>
    /// <param name="response">Where it goes.</param>
    /// <param name="flush">The flush.</param>
    /// <param name="holdsQuota">Whether more behind it lies in buffers that all requests share.</param>
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

    /// <summary>Sends a body that is short enough to be sent at once.</summary>
    // The server sends what is in its own buffer when the answer ends, requests that wait behind it included. A body that middleware has
    // put in its place knows only what was flushed.
    internal static Task SendAtOnce(HttpResponse response, ReadOnlySpan<byte> payload)
    {
        PipeWriter writer = response.BodyWriter;
        writer.Write(payload);
        return IsOfServer(response.HttpContext.Features) ? Task.CompletedTask : FlushAsync(writer);
    }

    private static async Task FlushAsync(PipeWriter writer) => await writer.FlushAsync().ConfigureAwait(false);

    // The servers' features are one object; what replaces one of them is another.
    private static bool IsOfServer(IFeatureCollection features) =>
        ReferenceEquals(features.Get<IHttpResponseBodyFeature>(), features.Get<IHttpRequestLifetimeFeature>());
}
