using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Metrics;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>A factory that makes the values of many keys in one call.</summary>
internal delegate ValueTask<IReadOnlyDictionary<TKey, TValue>> ManyFactory<TKey, TValue>(
    IReadOnlyList<TKey> keys, CancellationToken cancellation);

/// <summary>One call of a factory for all keys that are missing.</summary>
/// <remarks>
/// Each key has its flight, so other callers wait for those that this call makes, and this one waits for those of others: for its own
/// first, so that two calls with common keys never wait for each other.
/// </remarks>
internal sealed class ManyFlights<TKey, TValue>(
    TypedTable<TKey, TValue> table, FlightTable<TKey, TValue> flights, IEqualityComparer<TKey>? comparer)
    where TKey : notnull
{
    private const int MostNamed = 3; // keys in a message

    internal async ValueTask<Dictionary<TKey, TValue>> GetOrAddManyAsync(
        IEnumerable<TKey> keys, ManyFactory<TKey, TValue> factory, EntryOptions? options, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var rules = new FactoryRules(table.Core.Options, options);
        var values = new Dictionary<TKey, TValue>(comparer);
        var missing = new Dictionary<TKey, ulong>(comparer); // with the version of an entry that can't be read
        foreach (TKey key in keys)
        {
            if (values.ContainsKey(key) || missing.ContainsKey(key))
                continue;
            if (table.TryGetToMake(key, isAgain: false, out TValue? value, out EntryInfo info))
                values.Add(key, value);
            else if (flights.TryGetThrottled(key, out MadeValue<TValue> throttled))
                values.Add(key, throttled.Value);
            else
                missing.Add(key, info.Version);
        }
        while (missing.Count != 0)
        {
            var node = new FlightNode(string.Join(", ", missing.Keys.Take(MostNamed)), table.Core.Name);
            List<Member> members = BeginOrJoin(missing, node);
            try
            {
                await RunOwnAsync(members, node, factory, options, rules, values, cancellation).ConfigureAwait(false);
                await WaitForOthersAsync(members, rules, values, cancellation).ConfigureAwait(false);
            }
            finally
            {
                foreach (Member member in members)
                    flights.Leave(member.Id, member.Flight);
            }
            foreach (Member member in members)
            {
                // Absent for another caller's factory is not absent for this one's.
                if (values.ContainsKey(member.Key) || member.Own != null)
                    missing.Remove(member.Key);
            }
            cancellation.ThrowIfCancellationRequested();
        }
        return values;
    }

    private List<Member> BeginOrJoin(Dictionary<TKey, ulong> missing, FlightNode node)
    {
        var members = new List<Member>(missing.Count);
        foreach ((TKey key, ulong replaced) in missing)
        {
            FlightKey id = flights.IdOf(key);
            Flight flight = flights.FlightOf(id, node, out Flight<TValue>? own);
            if (own != null || flights.TryJoin(id, flight)) // else it was abandoned just now: the next round begins anew
                members.Add(new Member(key, id, flight, own, replaced));
        }
        return members;
    }

    private async ValueTask RunOwnAsync(
        List<Member> members, FlightNode node, ManyFactory<TKey, TValue> factory, EntryOptions? options, FactoryRules rules,
        Dictionary<TKey, TValue> values, CancellationToken cancellation)
    {
        Member[] own = [.. members.Where(static member => member.Own != null)];
        if (own.Length == 0)
            return;
        using FlightNode.Wait wait = node.BeginWait();
        FlightTable<TKey, TValue>.Start(() => RunManyAsync(own, node, factory, options, rules), rules);
        var ends = Task.WhenAll(own.Select(static member => member.Flight.Completion));
        TimeSpan limit = flights.LimitOf(isOwn: true, rules);
        if (rules.HasSoftWithin(limit, out TimeSpan soft) && Array.TrueForAll(own, member => table.HasStale(member.Key)))
        {
            if (!await new FlightTimeout(soft, flights.Time).IsMetByAsync(ends, cancellation).ConfigureAwait(false)
                && TryTakeLate(own, soft, rules, values))
            {
                foreach (Member member in own)
                    flights.HoldOn(member.Id, member.Flight, FlightTimeout.LeftOf(rules.HardLimit, soft));
                return;
            }
            limit = FlightTimeout.LeftOf(limit, soft);
        }
        if (!await new FlightTimeout(limit, flights.Time).IsMetByAsync(ends, cancellation).ConfigureAwait(false))
        {
            if (!TryTakeLate(own, limit, rules, values))
                throw node.TakesLongerThan(flights.LimitOf(isOwn: true, rules));
            return;
        }
        foreach (Member member in own)
        {
            MadeValue<TValue>? made = await flights.ResultOfAsync(member.Flight, member.Own, member.Key).ConfigureAwait(false);
            if (made != null && !member.Flight.IsAbsent)
                values[member.Key] = made.Value.Value;
        }
    }

    private bool TryTakeLate(Member[] own, TimeSpan limit, in FactoryRules rules, Dictionary<TKey, TValue> values)
    {
        foreach (Member member in own)
        {
            if (!flights.TryGetLate(member.Key, member.Flight, limit, rules, out MadeValue<TValue> stale))
                return false;
            values[member.Key] = stale.Value;
        }
        return true;
    }

    private async ValueTask WaitForOthersAsync(
        List<Member> members, FactoryRules rules, Dictionary<TKey, TValue> values, CancellationToken cancellation)
    {
        foreach (Member member in members.Where(static member => member.Own == null))
        {
            using FlightNode.Wait wait = member.Flight.Node.BeginWait();
            var limit = new FlightTimeout(flights.LimitOf(isOwn: false, rules), flights.Time);
            MadeValue<TValue>? made = await limit.IsMetByAsync(member.Flight.Completion, cancellation).ConfigureAwait(false)
                ? await flights.ResultOfAsync(member.Flight, null, member.Key).ConfigureAwait(false)
                : flights.GetLateOrThrow(member.Key, member.Flight, isOwn: false, rules);
            if (made != null)
                values[member.Key] = made.Value.Value;
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "The waiting callers get the exception.")]
    private async Task RunManyAsync(
        Member[] own, FlightNode node, ManyFactory<TKey, TValue> factory, EntryOptions? options, FactoryRules rules)
    {
        node.Enter(); // until this method ends
        var found = new Dictionary<Member, TValue>();
        try
        {
            Member[] toMake = [.. own.Where(member => !TryFind(member, options, found))];
            if (toMake.Length != 0)
                await MakeManyAsync(toMake, node, factory, options, rules, found).ConfigureAwait(false);
            foreach (Member member in own)
                flights.Flights.Remove(member.Id, member.Flight);
            foreach (Member member in own)
                member.Own!.Complete(found.GetValueOrDefault(member)!);
        }
        catch (Exception e)
        {
            foreach (Member member in own)
                flights.Flights.Remove(member.Id, member.Flight);
            foreach (Member member in own)
                member.Own!.Fail(e);
        }
        finally
        {
            foreach (Member member in own)
                flights.End(member.Own!);
        }
    }

    private bool TryFind(Member member, EntryOptions? options, Dictionary<Member, TValue> found)
    {
        if (!flights.TryGetOrBegin(member.Own!, member.Key, options, member.Replaced, out TValue? value))
            return false;
        found.Add(member, value);
        return true;
    }

    private async ValueTask MakeManyAsync(
        Member[] members, FlightNode node, ManyFactory<TKey, TValue> factory, EntryOptions? options, FactoryRules rules,
        Dictionary<Member, TValue> made)
    {
        Debug.Assert(Array.TrueForAll(members, static member => member.Own is { Ticket: not null }), "All runs have begun.");
        using var abandoned = new Abandonment(members);
        using FactoryLimits.Place place = await table.Core.Factories.Limits.EnterAsync(node, abandoned.Token).ConfigureAwait(false);
        var run = FactoryRun.Begin(table.Core.Meter, table.Core.Name);
        IReadOnlyDictionary<TKey, TValue> values;
        try
        {
            values = await factory([.. members.Select(static member => member.Key)], abandoned.Token).ConfigureAwait(false)
                ?? throw new InvalidOperationException($"The factory for {node} returned null; it must return a dictionary of values.");
            run.End();
        }
        catch (Exception e)
        {
            run.End(e);
            foreach (Member member in members)
            {
                member.Flight.MarkFactoryFailed();
                flights.Throttle(member.Key, rules);
            }
            throw;
        }
        foreach (Member member in members)
        {
            if (flights.Failures.IsAny)
                flights.Failures.Clear(table.HashOf(member.Key));
            if (values.TryGetValue(member.Key, out TValue? value))
            {
                made.Add(member, value);
                table.PutMade(member.Key, value, options, member.Own!.Ticket!);
            }
            else
            {
                member.Flight.MarkAbsent();
            }
        }
    }

    /// <summary>A key of one call.</summary>
    /// <param name="Key">The key.</param>
    /// <param name="Id">Its flight's key.</param>
    /// <param name="Flight">Its flight, which the call waits for.</param>
    /// <param name="Own">The same, if the call runs it; null for that of another caller.</param>
    /// <param name="Replaced">The version of an entry that can't be read.</param>
    private sealed record Member(TKey Key, FlightKey Id, Flight Flight, Flight<TValue>? Own, ulong Replaced);

    /// <summary>Cancels a factory once nobody waits for any of its keys.</summary>
    private sealed class Abandonment : IDisposable
    {
        private readonly CancellationTokenSource _all = new();
        private readonly List<CancellationTokenRegistration> _each = [];
        private int _left; // keys that somebody waits for

        internal Abandonment(Member[] members)
        {
            _left = members.Length;
            foreach (Member member in members)
                _each.Add(member.Flight.Abandoned.Register(OnAbandoned));
        }

        internal CancellationToken Token => _all.Token;

        public void Dispose()
        {
            foreach (CancellationTokenRegistration one in _each)
                one.Dispose(); // waits for a call of OnAbandoned
            _all.Dispose();
        }

        private void OnAbandoned()
        {
            if (Interlocked.Decrement(ref _left) == 0)
                _all.Cancel();
        }
    }
}
