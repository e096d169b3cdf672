using System.Threading;

namespace BigPile.Http.Limits;

/// <summary>The room that all buffers in flight have together: bodies that come, batches, answers that wait for their clients.</summary>
/// <remarks>
/// What the server keeps for each connection, and values of up to 32 KB that are being sent, are bounded by the number of connections and
/// of requests, and are not counted. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class BufferQuota
{
    private readonly BufferQuota? _parent;
    private long _usedBytes;

    /// <param name="limitBytes">The most bytes.</param>
    internal BufferQuota(long limitBytes)
    {
        LimitBytes = limitBytes;
        ForAnswers = new BufferQuota(limitBytes / 2, this);
    }

    private BufferQuota(long limitBytes, BufferQuota parent)
    {
        LimitBytes = limitBytes;
        ForAnswers = this;
        _parent = parent;
    }

    /// <summary>The half of it that answers may take: clients that take theirs slowly leave those that put the other half.</summary>
    internal BufferQuota ForAnswers { get; }

    internal long LimitBytes { get; }

    /// <summary>The bytes that are taken; tests look that all come back.</summary>
    internal long UsedBytes => Interlocked.Read(ref _usedBytes);

    /// <summary>Takes room; <see cref="Return"/> gives it back.</summary>
    /// <returns><see langword="false"/> when there is not so much left.</returns>
    internal bool TryTake(long bytes)
    {
        if (Interlocked.Add(ref _usedBytes, bytes) <= LimitBytes && (_parent == null || _parent.TryTake(bytes)))
            return true;
        Interlocked.Add(ref _usedBytes, -bytes);
        return false;
    }

    /// <summary>Takes room.</summary>
    /// <exception cref="BufferQuotaException">There is not so much left.</exception>
    internal void Take(long bytes)
    {
        if (!TryTake(bytes))
            throw new BufferQuotaException(LimitBytes);
    }

    internal void Return(long bytes)
    {
        Interlocked.Add(ref _usedBytes, -bytes);
        _parent?.Return(bytes);
    }
}
