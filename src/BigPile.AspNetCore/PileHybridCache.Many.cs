using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hybrid;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore;

/// <content>Many keys: one call of a factory for those that are missing.</content>
public sealed partial class PileHybridCache
{
    /// <summary>Gets the values of many keys, and makes those that are missing by one call of a factory.</summary>
    /// <remarks>
    /// For each key one factory runs at a time, whatever call it belongs to: a key that another call makes already is waited for, and not
    /// passed to this one's factory. The second level, if there is one, is asked for each key.
    /// </remarks>
    /// <param name="keys">The keys; repeated ones count once.</param>
    /// <param name="factory">
    /// Makes the values of the keys that it is given. A key that is not in its result has no value: it is not cached, and not returned.
    /// </param>
    /// <param name="options">Lifetimes and flags of new entries.</param>
    /// <param name="tags">The tags of new entries.</param>
    /// <param name="cancellationToken">Cancels this caller's wait; the factory, when nobody waits for any of its keys any more.</param>
    /// <returns>The values of the keys that have one.</returns>
    /// <exception cref="ArgumentException">A key is null, or an option is out of its range.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public async ValueTask<IReadOnlyDictionary<string, T>> GetOrCreateManyAsync<T>(
        IEnumerable<string> keys, Func<IReadOnlyList<string>, CancellationToken, ValueTask<IReadOnlyDictionary<string, T>>> factory,
        HybridCacheEntryOptions? options = null, IEnumerable<string>? tags = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        ArgumentNullException.ThrowIfNull(factory);
        HybridPlan plan = HybridPlan.Of(options, _options.DefaultEntryOptions);
        string[] tagSet = TagSet.Of(tags);
        var missing = new HashSet<string>(keys, StringComparer.Ordinal);
        if (missing.Contains(null!))
            throw new ArgumentException("A key is null.", nameof(keys));
        cancellationToken.ThrowIfCancellationRequested();
        CacheTable<string, object?> table = await _values.GetAsync(cancellationToken).ConfigureAwait(false);
        var values = new Dictionary<string, T>(missing.Count, StringComparer.Ordinal);
        if (plan.ReadsLocal)
        {
            foreach (string key in missing)
            {
                if (TryGetLocal(table, key, out T value, out _))
                    values.Add(key, value);
            }
            missing.ExceptWith(values.Keys);
        }
        while (missing.Count != 0)
        {
            await FindAsync(table, missing, values, factory, plan, tagSet, cancellationToken).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
        }
        return values;
    }

    // Each missing key is made, or waited for; those whose runs have left nothing for this caller stay missing.
    private async ValueTask FindAsync<T>(
        CacheTable<string, object?> table, HashSet<string> missing, Dictionary<string, T> values,
        Func<IReadOnlyList<string>, CancellationToken, ValueTask<IReadOnlyDictionary<string, T>>> factory, HybridPlan plan, string[] tags,
        CancellationToken cancellation)
    {
        var own = new Dictionary<string, (HybridRun<T> Run, HybridPlan Plan)>(StringComparer.Ordinal);
        var others = new Dictionary<string, HybridRun<T>>(StringComparer.Ordinal);
        foreach (string key in missing)
        {
            HybridPlan keyPlan = IsCacheable(key) ? plan : plan.WithoutCaching();
            var run = new HybridRun<T>(tags, new SharedRun<HybridOutcome<T>>(table, key));
            var first = (HybridRun<T>)_runs.GetOrAdd(new RunId(key, keyPlan.Flags, typeof(T)), run);
            if (first == run)
                own.Add(key, (run, keyPlan));
            else
                others.Add(key, first);
        }
        var waits = new List<Task>();
        var outcomes = new Dictionary<string, Task<HybridOutcome<T>>>(StringComparer.Ordinal);
        if (own.Count != 0)
        {
            var batch = new HybridBatch<T>(table, own.Keys, factory);
            waits.Add(batch.RunAsync(cancellation));
            foreach ((string key, (HybridRun<T> run, HybridPlan keyPlan)) in own)
            {
                outcomes.Add(key, run.Shared.RunAsync(
                    abandoned => ProduceAsync(key, run, table, batch, keyPlan, tags, abandoned),
                    () => Outdate(new RunId(key, keyPlan.Flags, typeof(T)), run), cancellation));
            }
        }
        foreach ((string key, HybridRun<T> run) in others)
            outcomes.Add(key, run.JoinAsync(cancellation));
        await Task.WhenAll([.. waits, .. outcomes.Values]).ConfigureAwait(false);
        foreach ((string key, Task<HybridOutcome<T>> outcome) in outcomes)
        {
            HybridOutcome<T> found = await outcome.ConfigureAwait(false);
            if (own.ContainsKey(key))
            {
                missing.Remove(key);
                if (found.Sharing != Sharing.Absent)
                    values.Add(key, found.Value);
            }
            else if (TryShare(table, key, found, out T value))
            {
                missing.Remove(key);
                values.Add(key, value);
            }
        }
    }

    private async ValueTask<HybridOutcome<T>> ProduceAsync<T>(
        string key, HybridRun<T> run, CacheTable<string, object?> table, HybridBatch<T> batch, HybridPlan plan, string[] tags,
        CancellationToken abandoned)
    {
        long madeAt = _time.GetUtcNow().UtcTicks;
        bool isWanted = false;
        try
        {
            if (await AskLevelsAsync(key, run, table, plan, abandoned).ConfigureAwait(false) is { } found)
                return found;
            isWanted = plan.RunsFactory;
        }
        finally
        {
            if (!isWanted)
                batch.Leave();
        }
        if (!isWanted || !(await batch.MakeAsync(key, abandoned).ConfigureAwait(false)).TryGetValue(key, out T? value))
            return HybridOutcome<T>.Absent;
        return await _writer.KeepAsync(key, run, table, value, madeAt, plan, tags, abandoned).ConfigureAwait(false);
    }
}
