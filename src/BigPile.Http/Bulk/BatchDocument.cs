using System;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Bulk;

/// <summary>An answer that is sent in slices, or at once with its length if it is short.</summary>
/// <param name="response">The response.</param>
/// <param name="quota">The quota that the buffer is charged to.</param>
internal sealed class BatchDocument(HttpResponse response, BufferQuota? quota) : IDisposable
{
    /// <summary>The bytes that are written before the client must have received them.</summary>
    internal const int FlushBytes = 64 * 1024;

    // HasStarted would not tell: with a body that middleware has substituted, the response starts only when that is sent.
    private bool _hasSent;

    /// <summary>The bytes that are written and not sent.</summary>
    internal ValueBuffer Bytes { get; } = ValueBuffer.Rent(quota);

    /// <summary>Sends what is written, if it is enough for a slice.</summary>
    /// <returns><see langword="false"/> when the client has gone.</returns>
    internal async ValueTask<bool> TryDrainAsync()
    {
        if (Bytes.WrittenSpan.Length < FlushBytes)
            return true;
        _hasSent = true;
        bool isSent = await SlicedBody.SendAsync(response, Bytes.WrittenMemory, holdsQuota: true).ConfigureAwait(false);
        Bytes.Clear();
        return isSent;
    }

    /// <summary>Sends the rest.</summary>
    internal async Task EndAsync()
    {
        if (!_hasSent)
            response.ContentLength = Bytes.WrittenSpan.Length;
        _ = await SlicedBody.SendAsync(response, Bytes.WrittenMemory, holdsQuota: true).ConfigureAwait(false);
    }

    public void Dispose() => ValueBuffer.Return(Bytes);
}
