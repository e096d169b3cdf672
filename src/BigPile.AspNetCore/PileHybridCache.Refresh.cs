using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hybrid;
using BigPile.Caching;

namespace BigPile.AspNetCore;

/// <content>Refreshes ahead of an expiry.</content>
public sealed partial class PileHybridCache
{
    private bool IsDue(CacheTable table, in EntryInfo info, in HybridPlan plan) =>
        table.Options.EagerRefresh is { } share && plan is { WritesLocal: true, RunsFactory: true }
            && info is { ExpiresAt: { } expiresAt, Lifetime: { } lifetime }
            && IsDue(expiresAt.UtcTicks, lifetime.Ticks, share);

    private bool IsDue(CacheTable table, SecondLevelHead head) =>
        table.Options.EagerRefresh is { } share && IsDue(head.ExpiresAt, head.ExpiresAt - head.MadeAt, share);

    private bool IsDue(long expiresAt, long lifetime, double share) =>
        _time.GetUtcNow().UtcTicks >= expiresAt - lifetime + (long)(lifetime * share);

    private void BeginRefresh<TState, T>(
        CacheTable<string, object?> table, string key, TState state, Func<TState, CancellationToken, ValueTask<T>> factory, HybridPlan plan,
        string[] tags)
    {
        var id = new RunId(key, plan.Flags, typeof(T));
        if (_runs.ContainsKey(id))
            return;
        var run = new HybridRun<T>(tags, new SharedRun<HybridOutcome<T>>(table, key), isRefresh: true);
        _ = run.Shared.TryRefresh( // else a later read tries again
            () => _runs.TryAdd(id, run), abandoned => ProduceAsync(key, run, table, state, factory, plan, tags, abandoned),
            () => Outdate(id, run));
    }
}
