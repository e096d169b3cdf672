using System;
using System.Threading;

namespace BigPile.Http.Limits;

/// <summary>Limits the bytes of all buffers in flight: request bodies, batches, and answers that wait for their clients.</summary>
/// <remarks>
/// Not counted, because the limits on connections and requests bound them: the server's own connection buffers, and values of up to 32 KB
/// that are being sent. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class BufferQuota
{
    /// <summary>The quota that this one is a part of; <see langword="null"/>: it is the whole.</summary>
    private readonly BufferQuota? _parent;
    /// <summary>Bytes taken, those of parts included; changed by interlocked operations only.</summary>
    private long _usedBytes;

    /// <param name="limitBytes">The limit, in bytes.</param>
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

    /// <summary>The part for answers, half of the quota: slow readers can't starve writers of the other half.</summary>
    internal BufferQuota ForAnswers { get; }

    internal long LimitBytes { get; }

    /// <summary>Bytes taken; tests check that all are returned.</summary>
    internal long UsedBytes => Volatile.Read(ref _usedBytes);

    /// <summary>Takes bytes; <see cref="Return"/> gives them back.</summary>
    /// <returns><see langword="false"/> if fewer are left.</returns>
    internal bool TryTake(long bytes)
    {
        // Adds first and undoes a failure: concurrent callers may be refused needlessly, but successful takes never exceed the limit.
        if (Interlocked.Add(ref _usedBytes, bytes) <= LimitBytes && (_parent == null || _parent.TryTake(bytes)))
            return true;
        Interlocked.Add(ref _usedBytes, -bytes);
        return false;
    }

    /// <summary>Takes bytes.</summary>
    /// <exception cref="BufferQuotaException">Fewer bytes are left.</exception>
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

/// <summary>A buffer would exceed the <see cref="BufferQuota"/>.</summary>
/// <param name="limitBytes">The limit of the quota, in bytes.</param>
internal sealed class BufferQuotaException(long limitBytes)
    : Exception($"Bodies and answers in flight take the {limitBytes:N0} bytes that they may have together.")
{
    internal long LimitBytes => limitBytes;
}
