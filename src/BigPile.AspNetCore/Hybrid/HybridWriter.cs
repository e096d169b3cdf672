using System;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Writes to both levels of a hybrid cache.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class HybridWriter(
    long maximumPayloadBytes, SecondLevel? second, ValueFormats formats, BufferPool buffers, TimeProvider time, CacheWarnings warnings,
    ILogger logger)
{
    private readonly ConcurrentDictionary<HybridRun, string> _writing = new(); // to the second level, with their keys

    /// <summary>Whether a run writes to the second level, though all of its callers may have left.</summary>
    internal bool IsWriting(string key) => !_writing.IsEmpty && _writing.Values.Contains(key);

    /// <summary>Caches a factory's value in both levels, as far as possible.</summary>
    internal async ValueTask<HybridOutcome<T>> KeepAsync<T>(
        string key, HybridRun<T> run, CacheTable<string, object?> table, T value, long madeAt, HybridPlan plan, string[] tags,
        CancellationToken stop)
    {
        ValueFormat<T> format = formats.Of<T>(table.Pile);
        using BufferPool.Loan encoded = buffers.Rent();
        if (!TryEncode(key, format, value, encoded.Buffer, out ValueKind kind))
        {
            await RemoveFormerAsync(key, run, table, plan, stop).ConfigureAwait(false);
            return new HybridOutcome<T>(value, format.IsImmutable ? Sharing.Same : Sharing.None);
        }
        if (!Fits(key, typeof(T), encoded.Buffer))
        {
            await RemoveFormerAsync(key, run, table, plan, stop).ConfigureAwait(false);
            return OutcomeOf(run, format, value, kind, encoded.Buffer, isStored: false);
        }
        bool isStored = plan.WritesLocal && StoreUnlessOutdated(run, table, key, kind, encoded.Buffer, plan.LocalExpiration, tags);
        if (second != null && plan.WritesDistributed)
        {
            _writing[run] = key; // before it is asked whether it is outdated: who outdates it sees one or the other
            try
            {
                if (!run.IsOutdated)
                    await WriteSecondAsync(key, format, value, kind, encoded.Buffer, madeAt, plan, tags, stop).ConfigureAwait(false);
            }
            finally
            {
                if (run.IsOutdated) // the removal may have preceded the write, which a cancellation may not have stopped
                    await second.RemoveAsync(key, CancellationToken.None).ConfigureAwait(false);
                _ = _writing.TryRemove(run, out _);
            }
        }
        return OutcomeOf(run, format, value, kind, encoded.Buffer, isStored);
    }

    [SuppressMessage("Design", "CA1031", Justification = "Whatever a serializer throws, the value is there and can be given out.")]
    private bool TryEncode<T>(string key, ValueFormat<T> format, T value, PileBuffer target, out ValueKind kind)
    {
        try
        {
            kind = format.Encode(value, target);
            return true;
        }
        catch (Exception e)
        {
            warnings.Warn(
                CacheWarnings.Reason.NotSerializable, typeof(T),
                $"The value of '{key}' is not cached, as it can't be stored: {e.Message}", e);
            kind = default;
            return false;
        }
    }

    // Beside a value that is not cached a later read must not find the former one.
    private async ValueTask RemoveFormerAsync(
        string key, HybridRun run, CacheTable<string, object?> table, HybridPlan plan, CancellationToken stop)
    {
        lock (run.Storing)
        {
            if (plan.WritesLocal && !run.IsOutdated)
                Remove(table, key);
        }
        if (second != null && plan.WritesDistributed && !run.IsOutdated)
            await second.RemoveAsync(key, stop).ConfigureAwait(false);
    }

    /// <summary>Stores a second-level value in the table.</summary>
    internal HybridOutcome<T> Promote<T>(
        string key, HybridRun<T> run, CacheTable<string, object?> table, ValueFormat<T> format, in SecondLevel.Hit<T> hit, HybridPlan plan)
    {
        using BufferPool.Loan encoded = buffers.Rent();
        if (!TryEncode(key, format, hit.Value, encoded.Buffer, out ValueKind kind))
            return new HybridOutcome<T>(hit.Value, format.IsImmutable ? Sharing.Same : Sharing.None);
        var left = new TimeSpan(hit.Head!.ExpiresAt - time.GetUtcNow().UtcTicks);
        if (left > plan.LocalExpiration)
            left = plan.LocalExpiration;
        bool isStored = plan.WritesLocal && left > TimeSpan.Zero && Fits(key, typeof(T), encoded.Buffer)
            && StoreUnlessOutdated(run, table, key, kind, encoded.Buffer, left, hit.Head.Tags);
        return OutcomeOf(run, format, hit.Value, kind, encoded.Buffer, isStored);
    }

    internal static void Remove(CacheTable<string, object?> table, string key)
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

    internal ValueTask WriteSecondAsync<T>(
        string key, ValueFormat<T> format, T value, ValueKind kind, PileBuffer encoded, long madeAt, HybridPlan plan, string[] tags,
        CancellationToken stop)
    {
        TimeSpan expiration = plan.Expiration < RemovalMarks.Lifetime ? plan.Expiration : RemovalMarks.Lifetime;
        long expiresAt = time.GetUtcNow().UtcTicks + expiration.Ticks;
        return second!.WriteAsync(key, new SecondLevelHead(kind, madeAt, expiresAt, tags), format, value, encoded, expiration, stop);
    }

    internal bool Fits(string key, Type type, PileBuffer encoded)
    {
        if (encoded.LengthBytes <= maximumPayloadBytes)
            return true;
        warnings.Warn(
            CacheWarnings.Reason.TooLarge, type,
            $"The value of '{key}' is not cached, as it has {encoded.LengthBytes:N0} bytes: PileHybridCacheOptions.MaximumPayloadBytes is "
            + $"{maximumPayloadBytes:N0}.");
        return false;
    }

    private bool StoreUnlessOutdated(
        HybridRun run, CacheTable<string, object?> table, string key, ValueKind kind, PileBuffer encoded, TimeSpan maxAge, string[] tags)
    {
        lock (run.Storing)
            return !run.IsOutdated && Store(table, key, kind, encoded, maxAge, tags);
    }

    internal bool Store(CacheTable<string, object?> table, string key, ValueKind kind, PileBuffer encoded, TimeSpan maxAge, string[] tags)
    {
        try
        {
            var entryOptions = new EntryOptions
            {
                MaxAge = maxAge, NullMaxAge = maxAge, KeepsLifetime = false, Tags = tags.Length == 0 ? null : tags,
            };
            PutResult result = kind switch
            {
                ValueKind.Null => table.Put(key, null, entryOptions),
                ValueKind.Utf16String => table.Put(key, EncodedText.Read(encoded.WrittenSpan, kind), entryOptions),
                _ => table.ByText().PutEncoded(key, encoded.WrittenSpan, (PayloadKind)kind, entryOptions),
            };
            if (result != PutResult.Collision)
                return true;
            logger.LogDebug("A value of {Bytes} bytes is not cached: its table is at its limit, and nothing may go", encoded.LengthBytes);
        }
        catch (TableDroppedException)
        {
            return false; // by the application, with what it held
        }
        catch (PileFullException e)
        {
            // The pile warns, once a minute for all it refuses.
            logger.LogDebug("A value of {Bytes} bytes is not cached: {Reason}", encoded.LengthBytes, e.Message);
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
