using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

namespace BigPile.Http.Protocol;

/// <summary>Reads a whole request body, up to a limit.</summary>
internal static class BodyBuffer
{
    /// <summary>Reads a body that is a document of the service, which must have no content coding.</summary>
    /// <inheritdoc cref="ReadAsync"/>
    internal static async ValueTask<Problem?> ReadDocumentAsync(HttpContext context, ValueBuffer buffer, long maxBytes) =>
        CheckCoding(context.Request) ?? await ReadAsync(context, buffer, maxBytes).ConfigureAwait(false);

    /// <summary>Refuses a body with a content coding; it would be parsed undecoded.</summary>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    internal static Problem? CheckCoding(HttpRequest request)
    {
        StringValues coding = request.Headers.ContentEncoding;
        bool isPlain = coding.Count == 0 || coding.ToString().AsSpan().Trim(" \t").Equals("identity", StringComparison.OrdinalIgnoreCase);
        return isPlain ? null : ProblemCatalog.UnsupportedCoding with { Detail = "Here a body is taken as it is, without one." };
    }

    /// <summary>Reads a body.</summary>
    /// <param name="context">The request.</param>
    /// <param name="buffer">The destination.</param>
    /// <param name="maxBytes">The maximum size of the body, in bytes.</param>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    /// <exception cref="BufferQuotaException">The quota is exhausted.</exception>
    /// <exception cref="OperationCanceledException">The request was aborted or timed out.</exception>
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
            // Kestrel enforces the limit too; this covers servers on which it can't be set.
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
                // even if the write failed: otherwise the server can't drain the body, and closes the connection
                reader.AdvanceTo(result.Buffer.End);
            }
            if (result.IsCompleted)
                return null;
        }
    }

    /// <summary>Sets the server's limit on the body; does nothing once it can't be changed.</summary>
    /// <param name="context">The request.</param>
    /// <param name="maxBytes">The limit in bytes; <see langword="null"/>: none.</param>
    internal static void Limit(HttpContext context, long? maxBytes)
    {
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
            limit.MaxRequestBodySize = maxBytes;
    }
}
