using System.Threading;

namespace BigPile.Http.Bounds;

/// <summary>The room that all buffers in flight have together: bodies that come, batches, answers that wait for their clients.</summary>
/// <remarks>
/// What the server keeps for each connection, and values of up to 32 KB that are being sent, are bounded by the number of connections and of
/// requests, and are not counted. Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="limitBytes">The most bytes.</param>
internal sealed class BufferRoom(long limitBytes)
{
    private long _usedBytes;

    internal long LimitBytes => limitBytes;

    /// <summary>The bytes that are taken.</summary>
    internal long UsedBytes => Interlocked.Read(ref _usedBytes);

    /// <summary>Takes room; <see cref="Return"/> gives it back.</summary>
    /// <returns><see langword="false"/> when there is not so much left.</returns>
    internal bool TryTake(long bytes)
    {
        if (Interlocked.Add(ref _usedBytes, bytes) <= limitBytes)
            return true;
        Return(bytes);
        return false;
    }

    /// <summary>Takes room.</summary>
    /// <exception cref="BufferRoomException">There is not so much left.</exception>
    internal void Take(long bytes)
    {
        if (!TryTake(bytes))
            throw new BufferRoomException(limitBytes);
    }

    internal void Return(long bytes) => Interlocked.Add(ref _usedBytes, -bytes);
}
