using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Hybrid;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.AspNetCore;

/// <summary>A table as a <see cref="HybridCache"/>: alone, or in front of a distributed cache.</summary>
/// <remarks>
/// <para>Each caller gets its own object, unless the type is immutable. A factory runs once for all callers that wait, and is cancelled
/// when all of them have gone. Its value is not cached if the key or one of its tags was removed meanwhile. A factory that asks for its own
/// key, or for a key whose factory waits for it, gets an <see cref="InvalidOperationException"/>, and so do its waiters.</para>
/// <para>With <see cref="TableOptions.EagerRefresh"/> of its table, a value is refreshed from that share of its local lifetime on, in the
/// background: from the second level if its value is younger than that share of its own lifetime, else by the caller's factory, which must
/// not use what ends with the call. If that fails, it is tried again after the <see cref="TableOptions.FailSafeThrottle"/>.</para>
/// <para><see cref="HybridCacheEntryFlags.DisableUnderlyingData"/> makes a read without a factory; a miss returns the default value. The
/// local expiration never exceeds the total one; without a second level the shorter one counts.</para>
/// <para>Values are stored by the pile's codec, which supports graphs, fields and shared references; a serializer registered for the type
/// takes precedence. A value that the codec refuses is stored as JSON, which is logged once for each type. A value that can't be
/// serialized, is too large, or finds no space in table or pile is returned, but not cached, and what the key had is removed. Warnings
/// say so, once for each type; the pile itself says once a minute how many puts it refused.</para>
/// <para>Thread safety: all members may be called concurrently.</para>
/// </remarks>
public sealed partial class PileHybridCache : HybridCache
{
    private readonly PileTable<object?> _values;
    private readonly PileHybridCacheOptions _options;
    private readonly SecondLevel? _second;
    private readonly HybridWriter _writer;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly CacheWarnings _warnings;
    private readonly ValueFormats _formats;
    private readonly ConcurrentDictionary<RunId, HybridRun> _runs = new();

    /// <summary>Creates a hybrid cache over a table.</summary>
    /// <param name="cache">The cache with the table.</param>
    /// <param name="options">The table's name, limits and defaults; <see cref="PileHybridCacheOptions.SecondLevel"/> is not used.</param>
    /// <param name="secondLevel">The optional cache behind the table.</param>
    /// <param name="time">The clock of <paramref name="cache"/>.</param>
    /// <param name="logger">Logs values that could not be cached.</param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public PileHybridCache(
        PileCache cache, PileHybridCacheOptions? options = null, IDistributedCache? secondLevel = null, TimeProvider? time = null,
        ILogger<PileHybridCache>? logger = null)
    {
        ArgumentNullException.ThrowIfNull(cache);
        _options = options ?? new PileHybridCacheOptions();
        _options.Validate();
        _time = time ?? TimeProvider.System;
        _logger = logger ?? NullLogger<PileHybridCache>.Instance;
        _warnings = new CacheWarnings(_logger);
        _formats = new ValueFormats(null, Buffers, _warnings);
        _values = new PileTable<object?>(cache, _options.Table);
        if (secondLevel != null)
            _second = SecondLevelOf(secondLevel, new PileTable<object>(cache, MarksOf(_options.Table)));
        _writer = new HybridWriter(_options.MaximumPayloadBytes, _second, _formats, Buffers, _time, _warnings, _logger);
    }

    private PileHybridCache(PileHost host, PileHybridCacheOptions options, IServiceProvider services)
    {
        _options = options;
        _time = services.GetRequiredService<TimeProvider>();
        _logger = services.GetRequiredService<ILogger<PileHybridCache>>();
        _warnings = new CacheWarnings(_logger);
        _formats = new ValueFormats(services, Buffers, _warnings);
        _values = new PileTable<object?>(host, options.Table);
        if (options.SecondLevel is { } secondLevel)
            _second = SecondLevelOf(secondLevel(services), new PileTable<object>(host, MarksOf(options.Table)));
        _writer = new HybridWriter(_options.MaximumPayloadBytes, _second, _formats, Buffers, _time, _warnings, _logger);
    }

    internal BufferPool Buffers { get; } = new();

    internal static PileHybridCache Of(PileHost host, PileHybridCacheOptions options, IServiceProvider services) =>
        new(host, options, services);

    /// <inheritdoc/>
    public override ValueTask<T> GetOrCreateAsync<TState, T>(
        string key, TState state, Func<TState, CancellationToken, ValueTask<T>> factory, HybridCacheEntryOptions? options = null,
        IEnumerable<string>? tags = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        return GetOrCreateAsync(key, key, state, factory, options, tags, cancellationToken);
    }

    /// <inheritdoc/>
    public override ValueTask<T> GetOrCreateAsync<TState, T>(
        ReadOnlySpan<char> key, TState state, Func<TState, CancellationToken, ValueTask<T>> factory,
        HybridCacheEntryOptions? options = null,
        IEnumerable<string>? tags = null, CancellationToken cancellationToken = default)
    {
        return GetOrCreateAsync(key, null, state, factory, options, tags, cancellationToken);
    }

    /// <inheritdoc/>
    /// <exception cref="PileSerializationException">
    /// The value can't be stored; what the key had is removed. A serializer of the application may throw another exception.
    /// </exception>
    public override async ValueTask SetAsync<T>(
        string key, T value, HybridCacheEntryOptions? options = null, IEnumerable<string>? tags = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        HybridPlan plan = HybridPlan.Of(options, _options.DefaultEntryOptions);
        string[] tagSet = TagSet.Of(tags);
        cancellationToken.ThrowIfCancellationRequested();
        if (!IsCacheable(key))
            return;
        CacheTable<string, object?> table = await _values.GetAsync(cancellationToken).ConfigureAwait(false);
        await SetAsync(table, key, value, plan, tagSet, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override async ValueTask RemoveAsync(string key, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        cancellationToken.ThrowIfCancellationRequested();
        if (!IsCacheable(key))
            return;
        CacheTable<string, object?> table = await _values.GetAsync(cancellationToken).ConfigureAwait(false);
        await RemoveAsync(table, key, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override async ValueTask RemoveByTagAsync(string tag, CancellationToken cancellationToken = default)
    {
        TagSet.CheckRemoved(tag);
        cancellationToken.ThrowIfCancellationRequested();
        CacheTable<string, object?> table = await _values.GetAsync(cancellationToken).ConfigureAwait(false);
        OutdateTagged(tag);
        if (_second != null)
        {
            await _second.RemoveByTagAsync(tag, cancellationToken).ConfigureAwait(false);
            // a run may have just read a value with the tag from the second level, whatever its caller's tags are
            OutdateTagged(TagSet.All);
        }
        try
        {
            if (tag != TagSet.All)
                table.RemoveByTag(tag);
            else
                // releases all memory, which may take a while
                await Task.Run(() => table.Clear(), CancellationToken.None).ConfigureAwait(false);
        }
        catch (TableDroppedException)
        {
            // by the application, with what it held
        }
    }

    private async ValueTask SetAsync<T>(
        CacheTable<string, object?> table, string key, T value, HybridPlan plan, string[] tags, CancellationToken stop)
    {
        ValueFormat<T> format = _formats.Of<T>(table.Pile);
        using BufferPool.Loan encoded = Buffers.Rent();
        bool canBeKept = false;
        ValueKind kind = default;
        try
        {
            kind = format.Encode(value, encoded.Buffer);
            canBeKept = _writer.Fits(key, typeof(T), encoded.Buffer);
        }
        finally
        {
            if (!canBeKept) // a later read must not find the old value
                await RemoveAsync(table, key, stop).ConfigureAwait(false);
        }
        if (!canBeKept)
            return;
        bool isRunning = OutdateRuns(key); // what began before has an older value
        if (_second != null && plan.WritesDistributed)
        {
            if (isRunning)
                await _second.MarkAsync(key, stop).ConfigureAwait(false); // as below
            long madeAt = _time.GetUtcNow().UtcTicks + (isRunning ? 1 : 0);
            await _writer.WriteSecondAsync(key, format, value, kind, encoded.Buffer, madeAt, plan, tags, stop).ConfigureAwait(false);
            await OutdateAsync(key, stop).ConfigureAwait(false); // who began meanwhile may have read the former value there
        }
        // Behind the second level, from where a run may have stored the former value here until then.
        if (plan.WritesLocal)
            _writer.Store(table, key, kind, encoded.Buffer, plan.LocalExpiration, tags);
        await OutdateAsync(key, stop).ConfigureAwait(false);
    }

    private async ValueTask RemoveAsync(CacheTable<string, object?> table, string key, CancellationToken stop)
    {
        await OutdateAsync(key, stop).ConfigureAwait(false);
        HybridWriter.Remove(table, key);
        if (_second != null)
            await _second.RemoveAsync(key, stop).ConfigureAwait(false);
        await OutdateAsync(key, stop).ConfigureAwait(false); // a run that began meanwhile may have read it there before
        HybridWriter.Remove(table, key);
    }

    // What the key's runs have written to the second level, or are about to write, counts no more.
    private ValueTask OutdateAsync(string key, CancellationToken stop) =>
        OutdateRuns(key) && _second != null ? _second.MarkAsync(key, stop) : default;

    // The key's text, if the caller has it: only a miss, or a refresh, needs it.
    private ValueTask<T> GetOrCreateAsync<TState, T>(
        ReadOnlySpan<char> key, string? text, TState state, Func<TState, CancellationToken, ValueTask<T>> factory,
        HybridCacheEntryOptions? options, IEnumerable<string>? tags, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(factory);
        if (cancellation.IsCancellationRequested)
            return ValueTask.FromCanceled<T>(cancellation);
        HybridPlan plan = HybridPlan.Of(options, _options.DefaultEntryOptions);
        if (!plan.ReadsLocal || _values.Known is not { } table || !TryGetLocal(table, key, out T value, out EntryInfo info))
            return FindAsync(text ?? key.ToString(), state, factory, plan, TagSet.Of(tags), cancellation);
        if (IsDue(table, info, plan))
            BeginRefresh(table, text ?? key.ToString(), state, factory, plan, TagSet.Of(tags));
        return new ValueTask<T>(value);
    }

    private static TableOptions MarksOf(TableOptions values) => new(values.Name + "-marks") { CollisionMode = CollisionMode.Durable };

    private SecondLevel SecondLevelOf(IDistributedCache cache, PileTable<object> marks)
    {
        ArgumentNullException.ThrowIfNull(cache, nameof(PileHybridCacheOptions.SecondLevel));
        return new SecondLevel(_options.Table.Name, cache, new RemovalMarks(marks, _time), Buffers, _time, _logger);
    }

    private bool IsCacheable(string key)
    {
        if (key.Length <= _options.MaximumKeyLength && !string.IsNullOrWhiteSpace(key))
            return true;
        _logger.LogWarning(
            "A value is not cached: its key is blank, or its {Length} characters are over PileHybridCacheOptions.MaximumKeyLength, {Limit}",
            key.Length, _options.MaximumKeyLength);
        return false;
    }

    [SuppressMessage("Design", "CA1031", Justification = "What can't be read, by whatever serializer, is as good as missing.")]
    private bool TryGetLocal<T>(CacheTable<string, object?> table, ReadOnlySpan<char> key, out T value, out EntryInfo info)
    {
        info = default;
        try
        {
            ValueFormat<T> format = _formats.Of<T>(table.Pile); // before the read: it allows the type
            if (table.ByText().TryGet(key, out object? stored, out info) && format.TryTake(stored, out value))
                return true;
        }
        catch (TableDroppedException)
        {
            // by the application, with what it held
        }
        catch (Exception e) when (e is not ObjectDisposedException)
        {
            _warnings.Warn(
                CacheWarnings.Reason.Unreadable, typeof(T),
                $"The cached value of '{key}' can't be read as {typeof(T)}, and counts as missing: {e.Message}", e);
        }
        value = default!;
        return false;
    }
}
