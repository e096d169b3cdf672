using System;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Bulk;

/// <summary>An answer that goes out piece by piece, and in one piece with its length when it is short.</summary>
/// <param name="response">The response.</param>
/// <param name="quota">What the bytes of a piece are taken from.</param>
internal sealed class BatchDocument(HttpResponse response, BufferQuota? quota) : IDisposable
{
    /// <summary>So much is given to the connection before it is waited until the client took it.</summary>
    internal const int FlushBytes = 64 * 1024;

    // The response can't be asked: where middleware has replaced its body, it starts when that is sent.
    private bool _hasSent;

    /// <summary>What is written and not sent.</summary>
    internal ValueBuffer Bytes { get; } = ValueBuffer.Rent(quota);

    /// <summary>Sends what is written, if it is enough for a piece.</summary>
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

    /// <summary>Gives the bytes back.</summary>
    public void Dispose() => ValueBuffer.Return(Bytes);
}
