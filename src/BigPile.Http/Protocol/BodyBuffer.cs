using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

namespace BigPile.Http.Protocol;

/// <summary>Reads the body of a request as a whole, within a limit.</summary>
internal static class BodyBuffer
{
    /// <summary>Reads a body that is a document of the service: it comes as it is.</summary>
    /// <inheritdoc cref="ReadAsync"/>
    internal static async ValueTask<Problem?> ReadDocumentAsync(HttpContext context, ValueBuffer buffer, long maxBytes) =>
        CheckCoding(context.Request) ?? await ReadAsync(context, buffer, maxBytes).ConfigureAwait(false);

    /// <summary>Refuses a body with a content coding, which would be read as what it is not.</summary>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    internal static Problem? CheckCoding(HttpRequest request)
    {
        StringValues coding = request.Headers.ContentEncoding;
        bool isPlain = coding.Count == 0 || coding.ToString().AsSpan().Trim(" \t").Equals("identity", StringComparison.OrdinalIgnoreCase);
        return isPlain ? null : ProblemCatalog.UnsupportedCoding with { Detail = "Here a body is taken as it is, without one." };
    }

    /// <summary>Reads a body.</summary>
    /// <param name="context">The request.</param>
    /// <param name="buffer">Where the bytes go.</param>
    /// <param name="maxBytes">The most bytes of the body.</param>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    /// <exception cref="BufferQuotaException">There is no room for the body.</exception>
    /// <exception cref="OperationCanceledException">Nobody waits for the answer any more, or the request has had its time.</exception>
    internal static async ValueTask<Problem?> ReadAsync(HttpContext context, ValueBuffer buffer, long maxBytes)
    {
        if (context.Request.ContentLength > maxBytes)
            return ProblemCatalog.BodyTooLarge(maxBytes, context.Request.ContentLength);
        Limit(context, maxBytes);
        PipeReader reader = context.Request.BodyReader;
        long startBytes = buffer.WrittenSpan.Length;
        while (true)
        {
            bool holdsQuota = buffer.WrittenSpan.Length > ClientWaits.SmallBytes;
            ReadResult result =
                await ClientWaits.ForAsync(context, reader.ReadAsync(context.RequestAborted), holdsQuota).ConfigureAwait(false);
            if (holdsQuota)
                ClientWaits.RecordProgress(context, result.Buffer.Length);
            // The server keeps to the limit too; this also holds where the limit can't be set.
            if (buffer.WrittenSpan.Length - startBytes + result.Buffer.Length > maxBytes)
            {
                reader.AdvanceTo(result.Buffer.End);
                return ProblemCatalog.BodyTooLarge(maxBytes, null);
            }
            try
            {
                foreach (ReadOnlyMemory<byte> part in result.Buffer)
                    buffer.Write(part.Span);
            }
            finally
            {
                reader.AdvanceTo(result.Buffer.End); // also without room: else the server can't read the rest, and cuts the connection off
            }
            if (result.IsCompleted)
                return null;
        }
    }

    /// <summary>Sets how long a body the server takes; nothing where that can't be set any more.</summary>
    /// <param name="context">The request.</param>
    /// <param name="maxBytes">The most bytes; <see langword="null"/>: no limit.</param>
    internal static void Limit(HttpContext context, long? maxBytes)
    {
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
            limit.MaxRequestBodySize = maxBytes;
    }
}
