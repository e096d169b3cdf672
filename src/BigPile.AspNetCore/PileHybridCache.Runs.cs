using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hybrid;
using BigPile.Caching;

namespace BigPile.AspNetCore;

/// <content>Missing values: one run finds each for all callers that wait.</content>
public sealed partial class PileHybridCache
{
    private async ValueTask<T> FindAsync<TState, T>(
        string key, TState state, Func<TState, CancellationToken, ValueTask<T>> factory, HybridPlan plan, string[] tags,
        CancellationToken cancellation)
    {
        if (!IsCacheable(key))
            return plan.RunsFactory ? await factory(state, cancellation).ConfigureAwait(false) : default!;
        CacheTable<string, object?> table = await _values.GetAsync(cancellation).ConfigureAwait(false);
        var id = new RunId(key, plan.Flags, typeof(T));
        while (true)
        {
            cancellation.ThrowIfCancellationRequested();
            if (plan.ReadsLocal && TryGetLocal(table, key, out T value, out _))
                return value;
            var own = new HybridRun<T>(tags, new SharedRun<HybridOutcome<T>>(table, key));
            var run = (HybridRun<T>)_runs.GetOrAdd(id, own);
            if (run == own)
            {
                Task<HybridOutcome<T>> running = own.Shared.RunAsync(
                    abandoned => ProduceAsync(key, own, table, state, factory, plan, tags, abandoned), () => Outdate(id, own),
                    cancellation);
                return (await running.ConfigureAwait(false)).Value;
            }
            if (!run.Shared.TryJoin(out Task<HybridOutcome<T>>? joined, cancellation))
                continue; // the run was abandoned and is about to be removed
            run.Join();
            HybridOutcome<T> outcome = await joined.ConfigureAwait(false);
            if (outcome.Sharing == Sharing.Absent && !plan.RunsFactory)
                return default!;
            if (outcome.Sharing == Sharing.None)
                return await run.Shared.RunFactoryAsync(stop => factory(state, stop), cancellation).ConfigureAwait(false);
            if (TryShare(table, key, outcome, out value))
                return value;
        }
    }

    private bool TryShare<T>(CacheTable<string, object?> table, string key, in HybridOutcome<T> outcome, out T value)
    {
        switch (outcome.Sharing)
        {
            case Sharing.Same:
                value = outcome.Value;
                return true;
            case Sharing.Copied:
                using (BufferPool.Loan loan = Buffers.Rent())
                {
                    System.Buffers.BuffersExtensions.Write(loan.Buffer, outcome.Copy.Span);
                    value = _formats.Of<T>(table.Pile).Decode(outcome.Kind, loan.Buffer);
                    return true;
                }
            case Sharing.Cached:
                return TryGetLocal(table, key, out value, out _);
            default:
                value = default!;
                return false;
        }
    }

    private async ValueTask<HybridOutcome<T>> ProduceAsync<TState, T>(
        string key, HybridRun<T> run, CacheTable<string, object?> table, TState state,
        Func<TState, CancellationToken, ValueTask<T>> factory, HybridPlan plan, string[] tags, CancellationToken abandoned)
    {
        if (await AskLevelsAsync(key, run, table, plan, abandoned).ConfigureAwait(false) is { } found)
            return found;
        if (!plan.RunsFactory)
            return HybridOutcome<T>.Absent;
        long madeAt = _time.GetUtcNow().UtcTicks;
        T value = await run.Shared.RunFactoryAsync(stop => factory(state, stop), abandoned).ConfigureAwait(false);
        abandoned.ThrowIfCancellationRequested(); // since nobody waits for it, nobody may find it
        return await _writer.KeepAsync(key, run, table, value, madeAt, plan, tags, abandoned).ConfigureAwait(false);
    }

    /// <summary>What a run finds in the levels.</summary>
    private async ValueTask<HybridOutcome<T>?> AskLevelsAsync<T>(
        string key, HybridRun<T> run, CacheTable<string, object?> table, HybridPlan plan, CancellationToken abandoned)
    {
        ValueFormat<T> format = _formats.Of<T>(table.Pile);
        // the previous run may have completed between the lookup and the start of this one
        if (!run.IsRefresh && plan.ReadsLocal && TryGetLocal(table, key, out T value, out _))
            return new HybridOutcome<T>(value, format.IsImmutable ? Sharing.Same : Sharing.Cached);
        if (_second == null || !plan.ReadsDistributed)
            return null;
        SecondLevel.Hit<T> hit = await _second.ReadAsync(key, format, abandoned).ConfigureAwait(false);
        if (!hit.IsHit || (run.IsRefresh && IsDue(table, hit.Head!)))
            return null;
        return _writer.Promote(key, run, table, format, hit, plan);
    }

    private void Forget(RunId id, HybridRun run) => _runs.TryRemove(KeyValuePair.Create(id, run));

    /// <returns>Whether there was one, or one that nobody waits for writes still.</returns>
    private bool OutdateRuns(string key)
    {
        bool isAny = _writer.IsWriting(key);
        foreach ((RunId id, HybridRun run) in _runs)
        {
            if (id.Key != key)
                continue;
            Outdate(id, run);
            isAny = true;
        }
        return isAny;
    }

    private void OutdateTagged(string tag)
    {
        foreach ((RunId id, HybridRun run) in _runs)
        {
            if (tag == TagSet.All || run.HasTag(tag))
                Outdate(id, run);
        }
    }

    // Later callers must not get a value that was made before. So ends each run: nobody who does not find it could outdate it any more.
    private void Outdate(RunId id, HybridRun run)
    {
        run.Outdate(); // first: who does not find it relies on that
        Forget(id, run);
    }
}
