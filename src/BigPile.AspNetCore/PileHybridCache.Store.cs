using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hybrid;
using BigPile.Caching;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore;

/// <content>Writing to both levels.</content>
public sealed partial class PileHybridCache
{
    /// <summary>Caches a factory's value in both levels, as far as possible.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "Whatever a serializer throws, the value is there and can be given out.")]
    private async ValueTask<HybridOutcome<T>> KeepAsync<T>(
        string key, HybridRun<T> run, CacheTable<string, object?> table, T value, long madeAt, HybridPlan plan, string[] tags,
        CancellationToken stop)
    {
        ValueFormat<T> format = _formats.Of<T>(table.Pile);
        using BufferPool.Loan encoded = Buffers.Rent();
        ValueKind kind;
        try
        {
            kind = format.Encode(value, encoded.Buffer);
        }
        catch (Exception e)
        {
            _warnings.Warn(
                CacheWarnings.Reason.NotSerializable, typeof(T),
                $"The value of '{key}' is not cached, as it can't be stored: {e.Message}", e);
            return new HybridOutcome<T>(value, format.IsImmutable ? Sharing.Same : Sharing.None);
        }
        if (!Fits(key, typeof(T), encoded.Buffer))
            return OutcomeOf(run, format, value, kind, encoded.Buffer, isStored: false);
        bool isStored = plan.WritesLocal && StoreUnlessOutdated(run, table, key, kind, encoded.Buffer, plan.LocalExpiration, tags);
        if (_second != null && plan.WritesDistributed && !run.IsOutdated)
        {
            await WriteSecondAsync(key, format, value, kind, encoded.Buffer, madeAt, plan, tags, stop).ConfigureAwait(false);
            if (run.IsOutdated) // the removal may have preceded the write
                await _second.RemoveAsync(key, stop).ConfigureAwait(false);
        }
        return OutcomeOf(run, format, value, kind, encoded.Buffer, isStored);
    }

    /// <summary>Stores a second-level value in the table.</summary>
    private HybridOutcome<T> Promote<T>(
        string key, HybridRun<T> run, CacheTable<string, object?> table, ValueFormat<T> format, in SecondLevel.Hit<T> hit, HybridPlan plan)
    {
        using BufferPool.Loan encoded = Buffers.Rent();
        ValueKind kind = format.Encode(hit.Value, encoded.Buffer);
        var left = new TimeSpan(hit.Head!.ExpiresAt - _time.GetUtcNow().UtcTicks);
        if (left > plan.LocalExpiration)
            left = plan.LocalExpiration;
        bool isStored = plan.WritesLocal && left > TimeSpan.Zero && Fits(key, typeof(T), encoded.Buffer)
            && StoreUnlessOutdated(run, table, key, kind, encoded.Buffer, left, hit.Head.Tags);
        return OutcomeOf(run, format, hit.Value, kind, encoded.Buffer, isStored);
    }

    private async ValueTask SetAsync<T>(
        CacheTable<string, object?> table, string key, T value, HybridPlan plan, string[] tags, CancellationToken stop)
    {
        ValueFormat<T> format = _formats.Of<T>(table.Pile);
        long madeAt = _time.GetUtcNow().UtcTicks;
        using BufferPool.Loan encoded = Buffers.Rent();
        bool canBeKept = false;
        ValueKind kind = default;
        try
        {
            kind = format.Encode(value, encoded.Buffer);
            canBeKept = Fits(key, typeof(T), encoded.Buffer);
        }
        finally
        {
            if (!canBeKept) // a later read must not find the old value
                await RemoveAsync(table, key, stop).ConfigureAwait(false);
        }
        if (!canBeKept)
            return;
        if (plan.WritesLocal)
            Store(table, key, kind, encoded.Buffer, plan.LocalExpiration, tags);
        if (_second != null && plan.WritesDistributed)
            await WriteSecondAsync(key, format, value, kind, encoded.Buffer, madeAt, plan, tags, stop).ConfigureAwait(false);
    }

    private async ValueTask RemoveAsync(CacheTable<string, object?> table, string key, CancellationToken stop)
    {
        OutdateRuns(key);
        Remove(table, key);
        if (_second != null)
            await _second.RemoveAsync(key, stop).ConfigureAwait(false);
        OutdateRuns(key); // a run that began meanwhile may have read the second level before the removal
        Remove(table, key);
    }

    private static void Remove(CacheTable<string, object?> table, string key)
    {
        try
        {
            table.Remove(key);
        }
        catch (TableDroppedException)
        {
            // by the application, with what it held
        }
    }

    private ValueTask WriteSecondAsync<T>(
        string key, ValueFormat<T> format, T value, ValueKind kind, PileBuffer encoded, long madeAt, HybridPlan plan, string[] tags,
        CancellationToken stop)
    {
        long expiresAt = _time.GetUtcNow().UtcTicks + Math.Min(plan.Expiration.Ticks, RemovalMarks.Lifetime.Ticks);
        return _second!.WriteAsync(key, new SecondLevelHead(kind, madeAt, expiresAt, tags), format, value, encoded, plan.Expiration, stop);
    }

    private bool Fits(string key, Type type, PileBuffer encoded)
    {
        if (encoded.LengthBytes <= _options.MaximumPayloadBytes)
            return true;
        _warnings.Warn(
            CacheWarnings.Reason.TooLarge, type,
            $"The value of '{key}' is not cached, as it has {encoded.LengthBytes:N0} bytes: PileHybridCacheOptions.MaximumPayloadBytes is "
            + $"{_options.MaximumPayloadBytes:N0}.");
        return false;
    }

    private bool StoreUnlessOutdated(
        HybridRun run, CacheTable<string, object?> table, string key, ValueKind kind, PileBuffer encoded, TimeSpan maxAge, string[] tags)
    {
        lock (run.Storing)
            return !run.IsOutdated && Store(table, key, kind, encoded, maxAge, tags);
    }

    private bool Store(CacheTable<string, object?> table, string key, ValueKind kind, PileBuffer encoded, TimeSpan maxAge, string[] tags)
    {
        try
        {
            var options = new EntryOptions { MaxAge = maxAge, Tags = tags.Length == 0 ? null : tags };
            PutResult result = kind switch
            {
                ValueKind.Null => table.Put(key, null, options),
                ValueKind.Utf16String => table.Put(key, EncodedText.Read(encoded.WrittenSpan, kind), options),
                _ => table.ByText().PutEncoded(key, encoded.WrittenSpan, (PayloadKind)kind, options),
            };
            if (result != PutResult.Collision)
                return true;
            _logger.LogDebug("A value of {Bytes} bytes is not cached: its table is at its limit, and nothing may go", encoded.LengthBytes);
        }
        catch (TableDroppedException)
        {
            return false; // by the application, with what it held
        }
        catch (PileFullException e)
        {
            // The pile warns, once a minute for all it refuses.
            _logger.LogDebug("A value of {Bytes} bytes is not cached: {Reason}", encoded.LengthBytes, e.Message);
        }
        Remove(table, key); // a later read must not find the old value
        return false;
    }

    private static HybridOutcome<T> OutcomeOf<T>(
        HybridRun run, ValueFormat<T> format, T value, ValueKind kind, PileBuffer encoded, bool isStored)
    {
        if (format.IsImmutable)
            return new HybridOutcome<T>(value, Sharing.Same);
        if (isStored || !run.IsJoined)
            return new HybridOutcome<T>(value, Sharing.Cached);
        return new HybridOutcome<T>(value, Sharing.Copied, kind, encoded.WrittenSpan.ToArray());
    }
}
