using System;
using System.IO.Pipelines;
using System.Threading.Tasks;

namespace BigPile.Http.Protocol;

/// <summary>Sends a body piece by piece, each when the client took the one before: the connection would keep a copy of what it is given at once.</summary>
internal static class SlicedBody
{
    /// <summary>The bytes of a piece.</summary>
    internal const int SliceBytes = 64 * 1024;

    /// <returns><see langword="false"/> when the client has gone.</returns>
    internal static async ValueTask<bool> SendAsync(PipeWriter writer, ReadOnlyMemory<byte> body)
    {
        while (!body.IsEmpty)
        {
            int lengthBytes = Math.Min(SliceBytes, body.Length);
            FlushResult result = await writer.WriteAsync(body[..lengthBytes]).ConfigureAwait(false);
            if (result.IsCompleted || result.IsCanceled)
                return false;
            body = body[lengthBytes..];
        }
        return true;
    }
}
