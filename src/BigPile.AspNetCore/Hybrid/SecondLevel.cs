using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>The cache behind the table. It may fail at any time: failures are logged and never thrown.</summary>
/// <remarks>
/// Removing a tag stores a mark with the time under <c>bigpile:tag:TAG</c>. Each read of a value also reads the marks of its tags, so a
/// removal in one process is seen by all at once; their clocks must agree. If a mark can't be read, the value counts as missing.
/// </remarks>
[SuppressMessage("Design", "CA1031", Justification = "Whatever a second level throws, the first can do without it.")]
internal sealed class SecondLevel(
    string table, IDistributedCache cache, RemovalMarks marks, BufferPool buffers, TimeProvider time, ILogger logger)
{
    private const string TagPrefix = "bigpile:tag:";

    /// <summary>The result of a lookup.</summary>
    internal readonly record struct Hit<T>(bool IsHit, T Value, SecondLevelHead? Head);

    internal async ValueTask<Hit<T>> ReadAsync<T>(string key, ValueFormat<T> format, CancellationToken stop)
    {
        using BufferPool.Loan loan = buffers.Rent();
        using Activity? activity = Begin(BigPileTelemetry.SecondLevelReadActivity);
        _ = activity?.SetTag(CacheTelemetry.RequestTypeTag, "miss");
        try
        {
            if (!await FetchAsync(key, loan.Buffer, stop).ConfigureAwait(false) || ReadHead(key, loan.Buffer) is not { } head)
                return default;
            if (head.ExpiresAt <= time.GetUtcNow().UtcTicks || await IsRemovedAsync(key, head, stop).ConfigureAwait(false))
                return default;
            var hit = new Hit<T>(true, ReadValue(key, loan.Buffer, format), head);
            _ = activity?.SetTag(CacheTelemetry.RequestTypeTag, "hit");
            return hit;
        }
        catch (Exception e) when (!stop.IsCancellationRequested)
        {
            activity.Fail(e);
            logger.LogWarning(e, "The second level could not be read; the value counts as missing");
            return default;
        }
    }

    internal async ValueTask WriteAsync<T>(
        string key, SecondLevelHead head, ValueFormat<T> format, T value, PileBuffer encoded, TimeSpan expiration, CancellationToken stop)
    {
        using Activity? activity = Begin(BigPileTelemetry.SecondLevelWriteActivity);
        try
        {
            using BufferPool.Loan loan = buffers.Rent();
            head.Write(key, loan.Buffer);
            format.WritePortable(value, head.Kind, encoded, loan.Buffer);
            await StoreAsync(key, loan.Buffer, expiration, stop).ConfigureAwait(false);
        }
        catch (Exception e) when (!stop.IsCancellationRequested)
        {
            activity.Fail(e);
            logger.Log(LevelOf(e), e, "The second level could not be written");
            await marks.MarkKeyAsync(key, stop).ConfigureAwait(false); // the second level may still hold an older value of the key
        }
    }

    /// <summary>States that what was made of a key before now is not read by this process.</summary>
    internal ValueTask MarkAsync(string key, CancellationToken stop) => marks.MarkKeyAsync(key, stop);

    internal async ValueTask RemoveAsync(string key, CancellationToken stop)
    {
        using Activity? activity = Begin(BigPileTelemetry.SecondLevelRemoveActivity);
        try
        {
            await cache.RemoveAsync(key, stop).ConfigureAwait(false);
        }
        catch (Exception e) when (!stop.IsCancellationRequested)
        {
            activity.Fail(e);
            logger.LogWarning(e, "A key could not be removed from the second level; it is not read there any more by this process");
            await marks.MarkKeyAsync(key, stop).ConfigureAwait(false);
        }
    }

    internal async ValueTask RemoveByTagAsync(string tag, CancellationToken stop)
    {
        await marks.MarkTagAsync(tag, stop).ConfigureAwait(false);
        using Activity? activity = Begin(BigPileTelemetry.SecondLevelRemoveTagActivity);
        var mark = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(mark, time.GetUtcNow().UtcTicks);
        var options = new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = RemovalMarks.Lifetime };
        try
        {
            await cache.SetAsync(TagPrefix + tag, mark, options, stop).ConfigureAwait(false);
        }
        catch (Exception e) when (!stop.IsCancellationRequested)
        {
            activity.Fail(e);
            logger.Log(LevelOf(e), e, "A tag could not be removed from the second level; other processes may still see what has it");
        }
    }

    // A second level that is a pile warns itself, once a minute for all the puts that it refuses.
    private static LogLevel LevelOf(Exception e) => e is PileFullException ? LogLevel.Debug : LogLevel.Warning;

    private Activity? Begin(string name) => HostActivity.Start(name, CacheTelemetry.TableNameTag, table, ActivityKind.Client);

    private static SecondLevelHead? ReadHead(string key, PileBuffer buffer)
    {
        ReadOnlySpan<byte> payload = buffer.WrittenSpan;
        return SecondLevelHead.TryRead(key, ref payload);
    }

    private static T ReadValue<T>(string key, PileBuffer buffer, ValueFormat<T> format)
    {
        ReadOnlySpan<byte> payload = buffer.WrittenSpan;
        ValueKind kind = SecondLevelHead.TryRead(key, ref payload)!.Kind;
        return format.ReadPortable(kind, payload);
    }

    private async ValueTask<bool> FetchAsync(string key, PileBuffer target, CancellationToken stop)
    {
        if (cache is IBufferDistributedCache buffered)
            return await buffered.TryGetAsync(key, target, stop).ConfigureAwait(false);
        byte[]? bytes = await cache.GetAsync(key, stop).ConfigureAwait(false);
        target.Write(bytes);
        return bytes != null;
    }

    private async ValueTask StoreAsync(string key, PileBuffer payload, TimeSpan expiration, CancellationToken stop)
    {
        var options = new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = expiration };
        if (cache is IBufferDistributedCache buffered)
            await buffered.SetAsync(key, new ReadOnlySequence<byte>(payload.WrittenMemory), options, stop).ConfigureAwait(false);
        else
            await cache.SetAsync(key, payload.WrittenSpan.ToArray(), options, stop).ConfigureAwait(false);
    }

    private async ValueTask<bool> IsRemovedAsync(string key, SecondLevelHead head, CancellationToken stop)
    {
        if (await marks.ConcernAsync(key, head, stop).ConfigureAwait(false)
            || await IsTagRemovedAsync(TagSet.All, head, stop).ConfigureAwait(false))
            return true;
        foreach (string tag in head.Tags)
        {
            if (await IsTagRemovedAsync(tag, head, stop).ConfigureAwait(false))
                return true;
        }
        return false;
    }

    private async ValueTask<bool> IsTagRemovedAsync(string tag, SecondLevelHead head, CancellationToken stop) =>
        await cache.GetAsync(TagPrefix + tag, stop).ConfigureAwait(false) is { Length: sizeof(long) } mark
            && BinaryPrimitives.ReadInt64LittleEndian(mark) >= head.MadeAt;
}
