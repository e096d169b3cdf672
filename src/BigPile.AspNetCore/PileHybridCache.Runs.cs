using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hybrid;
using BigPile.Caching;
using BigPile.Caching.Metrics;
using BigPile.Caching.SingleFlight;

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
            if (plan.ReadsLocal && TryGetLocal(table, key, out T value))
                return value;
            var own = new HybridRun<T>(tags, new FlightNode(key, table.Name));
            var run = (HybridRun<T>)_runs.GetOrAdd(id, own);
            using FlightNode.Wait wait = run.Flight.Node.BeginWait();
            if (run == own)
            {
                _ = RunAsync(id, own, table, state, factory, plan, tags);
                return (await WaitAsync(id, own, FlightTimeout.Infinite, cancellation).ConfigureAwait(false)).Value;
            }
            if (!run.Flight.TryJoin())
                continue; // the run was abandoned and is about to be removed
            run.Join();
            HybridOutcome<T> outcome = await WaitAsync(id, run, table.Core.FlightTimeout, cancellation).ConfigureAwait(false);
            if (outcome.Sharing == Sharing.None)
                return await factory(state, cancellation).ConfigureAwait(false);
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
                    value = _formats.Of<T>(table.Core.Pile).Decode(outcome.Kind, loan.Buffer);
                    return true;
                }
            default:
                return TryGetLocal(table, key, out value);
        }
    }

    private async Task<HybridOutcome<T>> WaitAsync<T>(
        RunId id, HybridRun<T> run, FlightTimeout timeout, CancellationToken cancellation)
    {
        try
        {
            await run.Flight.WaitAsync(timeout, cancellation).ConfigureAwait(false);
            return await run.Flight.TypedCompletion.ConfigureAwait(false);
        }
        finally
        {
            if (run.Flight.LeaveAsLast())
                Forget(id, run);
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "The waiters get the exception.")]
    private async Task RunAsync<TState, T>(
        RunId id, HybridRun<T> run, CacheTable<string, object?> table, TState state, Func<TState, CancellationToken, ValueTask<T>> factory,
        HybridPlan plan, string[] tags)
    {
        run.Flight.Node.Enter(); // until this method ends
        try
        {
            HybridOutcome<T> outcome = await ProduceAsync(id.Key, run, table, state, factory, plan, tags).ConfigureAwait(false);
            Forget(id, run);
            run.Flight.Complete(outcome);
        }
        catch (Exception e)
        {
            Forget(id, run);
            run.Flight.Fail(e);
        }
    }

    private async ValueTask<HybridOutcome<T>> ProduceAsync<TState, T>(
        string key, HybridRun<T> run, CacheTable<string, object?> table, TState state, Func<TState, CancellationToken,
        ValueTask<T>> factory,
        HybridPlan plan, string[] tags)
    {
        CancellationToken abandoned = run.Flight.Abandoned;
        ValueFormat<T> format = _formats.Of<T>(table.Core.Pile);
        // the previous run may have completed between the lookup and the start of this one
        if (plan.ReadsLocal && TryGetLocal(table, key, out T value))
            return new HybridOutcome<T>(value, format.IsImmutable ? Sharing.Same : Sharing.Cached);
        if (_second != null && plan.ReadsDistributed)
        {
            SecondLevel.Hit<T> hit = await _second.ReadAsync(key, format, abandoned).ConfigureAwait(false);
            if (hit.IsHit)
                return Promote(key, run, table, format, hit, plan);
        }
        if (!plan.RunsFactory)
            return new HybridOutcome<T>(default!, Sharing.Same);
        long madeAt = _time.GetUtcNow().UtcTicks;
        value = await MakeAsync(table, state, factory, abandoned).ConfigureAwait(false);
        return await KeepAsync(key, run, table, format, value, madeAt, plan, tags, abandoned).ConfigureAwait(false);
    }

    private static async ValueTask<T> MakeAsync<TState, T>(
        CacheTable<string, object?> table, TState state, Func<TState, CancellationToken, ValueTask<T>> factory, CancellationToken abandoned)
    {
        var run = FactoryRun.Begin(table.Core.Meter, table.Name);
        try
        {
            T value = await factory(state, abandoned).ConfigureAwait(false);
            run.End();
            return value;
        }
        catch (Exception e)
        {
            run.End(e);
            throw;
        }
    }

    private void Forget(RunId id, HybridRun run) => _runs.TryRemove(KeyValuePair.Create(id, run));

    private void OutdateRuns(string key)
    {
        foreach ((RunId id, HybridRun run) in _runs)
        {
            if (id.Key == key)
                Outdate(id, run);
        }
    }

    private void OutdateTagged(string tag)
    {
        foreach ((RunId id, HybridRun run) in _runs)
        {
            if (tag == TagSet.All || run.HasTag(tag))
                Outdate(id, run);
        }
    }

    // Later callers must not get a value that was made before.
    private void Outdate(RunId id, HybridRun run)
    {
        run.Outdate();
        Forget(id, run);
    }
}
