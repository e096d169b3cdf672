using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Bulk;

/// <summary>The decoded body of a load; the bytes received earn its decode budget.</summary>
/// <remarks>Thread safety: none; it belongs to one request.</remarks>
/// <param name="context">The request; its body stays open.</param>
/// <param name="coding">Its coding.</param>
/// <param name="budget">The load's budget, for lines and payloads together.</param>
internal sealed class BulkBody(HttpContext context, ContentCoding coding, DecodeBudget budget) : ReadingStream
{
    private readonly Stream _decoded = PayloadDecoder.Open(new Source(context, budget), coding);
    private readonly bool _isCoded = coding != ContentCoding.Identity;

    /// <inheritdoc/>
    /// <exception cref="InvalidDataException">The body decompresses to more than its length allows.</exception>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int lengthBytes = await _decoded.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        if (!_isCoded)
            return lengthBytes;
        budget.Take(lengthBytes);
        if (budget.LeftBytes < 0)
            throw new InvalidDataException(
                $"It has more than {DecodeBudget.BytesForEachByte} bytes decompressed for each that was sent. Send it as it is.");
        return lengthBytes;
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => _decoded.DisposeAsync();

    /// <summary>Counts the received bytes.</summary>
    private sealed class Source(HttpContext context, DecodeBudget budget) : ReadingStream
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            ValueTask<int> reading = context.Request.Body.ReadAsync(buffer, cancellationToken);
            int lengthBytes = await ClientWaits.ForAsync(context, reading, holdsQuota: false).ConfigureAwait(false);
            budget.Earn(lengthBytes);
            return lengthBytes;
        }
    }
}
