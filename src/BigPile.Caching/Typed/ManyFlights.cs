using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Keys;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>A factory that makes the values of many keys in one call.</summary>
internal delegate ValueTask<IReadOnlyDictionary<TKey, TValue>> ManyFactory<TKey, TValue>(
    IReadOnlyList<TKey> keys, CancellationToken cancellation);

/// <summary>One call of a factory for all keys that are missing.</summary>
/// <remarks>
/// Each key has its flight, so other callers wait for those that this call makes, and this one waits for those of others. Its own runs
/// need no wait for others to end, so two calls with common keys never wait for each other.
/// </remarks>
internal sealed partial class ManyFlights<TKey, TValue>(
    TypedTable<TKey, TValue> table, FlightTable<TKey, TValue> flights, IEqualityComparer<TKey>? comparer)
    where TKey : notnull
{
    private const int MostNamed = 3; // keys in a message

    // As the table compares keys.
    private readonly IEqualityComparer<TKey>? _comparer =
        comparer != null || KeyCodec<TKey>.HasOwnBytes ? comparer : new BytesComparer(flights);

    /// <summary>Gets the values of many keys, and makes those that are missing.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="factory">Makes the values.</param>
    /// <param name="isBlocking">Whether the factory blocks, and its caller until then.</param>
    /// <param name="options">Those of new entries.</param>
    /// <param name="cancellation">Cancels the wait of this caller.</param>
    internal async ValueTask<Dictionary<TKey, TValue>> GetOrAddManyAsync(
        IEnumerable<TKey> keys, ManyFactory<TKey, TValue> factory, bool isBlocking, EntryOptions? options, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var call = new Call(factory, isBlocking, options, new FactoryRules(table.Core.Options, options, flights.Time));
        var values = new Dictionary<TKey, TValue>(_comparer);
        var missing = new Dictionary<TKey, ulong>(_comparer); // with the version of an entry that can't be read
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
                await RunAsync(members, node, call, values, cancellation).ConfigureAwait(false);
            }
            finally
            {
                foreach (Member member in members)
                    flights.Leave(member.Id, member.Flight);
            }
            foreach (Member member in members)
            {
                // Absent for another caller's factory is not absent for this one's.
                if (values.ContainsKey(member.Key) || (member.Own != null && member.Flight.Completion.IsCompleted))
                    missing.Remove(member.Key);
            }
            cancellation.ThrowIfCancellationRequested();
        }
        return values;
    }

    private List<Member> BeginOrJoin(Dictionary<TKey, ulong> missing, FlightNode node)
    {
        var members = new List<Member>(missing.Count);
        try
        {
            foreach ((TKey key, ulong replaced) in missing)
            {
                FlightKey id = flights.IdOf(key);
                Flight flight = flights.FlightOf(id, node, out Flight<TValue>? own);
                if (own != null || flights.TryJoin(id, flight)) // else it was abandoned just now: the next round begins anew
                    members.Add(new Member(key, id, flight, own, replaced));
            }
        }
        catch (Exception e) // of the table's comparer, which is application code: others may have joined by now
        {
            Complete([.. members.Where(static member => member.Own != null)], [], e);
            foreach (Member member in members)
                flights.Leave(member.Id, member.Flight);
            throw;
        }
        return members;
    }

    private async ValueTask RunAsync(
        List<Member> members, FlightNode node, Call call, Dictionary<TKey, TValue> values, CancellationToken cancellation)
    {
        Debug.Assert(members.TrueForAll(member => member.Own == null || member.Flight.Node == node), "The own runs are one.");
        // Before the factory runs: it may lead back to the caller.
        using FlightNode.Wait wait = node.BeginWait();
        Member[] own = [.. members.Where(static member => member.Own != null)];
        if (own.Length != 0)
            FlightTable<TKey, TValue>.Start(() => RunManyAsync(own, node, call), call.Rules);
        var waits = new List<FlightNode.Wait>();
        try
        {
            foreach (Member member in members.Where(static member => member.Own == null))
                waits.Add(member.Flight.Node.BeginWait());
            await WaitAsync(members, call.Rules, values, cancellation).ConfigureAwait(false);
        }
        finally
        {
            foreach (FlightNode.Wait other in waits)
                other.Dispose();
        }
    }

    private async ValueTask WaitAsync(
        List<Member> members, FactoryRules rules, Dictionary<TKey, TValue> values, CancellationToken cancellation)
    {
        bool isOwn = members.TrueForAll(static member => member.Own != null);
        TimeSpan limit = flights.LimitOf(isOwn, rules);
        bool isSoft = rules.HasSoftWithin(limit, out TimeSpan soft) && members.Exists(member => table.HasStale(member.Key));
        bool isInTime;
        if (isSoft && !await IsMetAsync(members, soft, cancellation).ConfigureAwait(false))
        {
            // A key without a stale value decides how long it takes.
            List<Member> without = members.FindAll(member => !table.HasStale(member.Key));
            isInTime = await IsMetAsync(without, FlightTimeout.LeftOf(limit, soft), cancellation).ConfigureAwait(false);
        }
        else
        {
            isInTime = isSoft || await IsMetAsync(members, limit, cancellation).ConfigureAwait(false);
        }
        if (!isInTime && !isOwn && members.TrueForAll(static member => member.Own != null || member.Flight.Completion.IsCompleted))
        {
            isOwn = true; // those of others have ended: only they must do so within the patience of the cache
            isInTime = await IsMetAsync(members, flights.LimitOf(isOwn, rules), cancellation).ConfigureAwait(false);
        }
        foreach (Member member in members)
        {
            Debug.Assert(isInTime || !isSoft || limit != Timeout.InfiniteTimeSpan, "Without a limit nothing comes too late.");
            if (member.Flight.Completion.IsCompleted)
            {
                MadeValue<TValue>? made = await flights.ResultOfAsync(member.Flight, member.Own, member.Key).ConfigureAwait(false);
                if (made != null && (member.Own == null || !member.Flight.IsAbsent))
                    values[member.Key] = made.Value.Value;
            }
            else if (!isInTime)
            {
                values[member.Key] = flights.GetLateOrThrow(member.Key, member.Flight, isOwn, rules).Value;
            }
            else if (flights.TryGetLate(member.Key, member.Flight, soft, rules, out MadeValue<TValue> stale))
            {
                values[member.Key] = stale.Value;
                flights.HoldOn(member.Id, member.Flight, rules.HardLeft(flights.Time));
            } // else its stale value was removed just now: the next round waits for the run
        }
    }

    private ValueTask<bool> IsMetAsync(List<Member> members, TimeSpan limit, CancellationToken cancellation) =>
        new FlightTimeout(limit, flights.Time).IsMetByAsync(EndOfAsync(members), cancellation);

    // Ends with the last of the runs, and does not fail as they may: each has its own end.
    private static async Task EndOfAsync(List<Member> members)
    {
        foreach (Member member in members)
            await member.Flight.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>A call, as far as its factory goes.</summary>
    private sealed record Call(ManyFactory<TKey, TValue> Factory, bool IsBlocking, EntryOptions? Options, FactoryRules Rules);

    /// <summary>A key of one call.</summary>
    /// <param name="Key">The key.</param>
    /// <param name="Id">Its flight's key.</param>
    /// <param name="Flight">Its flight, which the call waits for.</param>
    /// <param name="Own">The same, if the call runs it; null for that of another caller.</param>
    /// <param name="Replaced">The version of an entry that can't be read.</param>
    private sealed record Member(TKey Key, FlightKey Id, Flight Flight, Flight<TValue>? Own, ulong Replaced);

    /// <summary>Compares keys by their bytes.</summary>
    private sealed class BytesComparer(FlightTable<TKey, TValue> flights) : IEqualityComparer<TKey>
    {
        public bool Equals(TKey? left, TKey? right) =>
            flights.IdOf(left!).Bytes.AsSpan().SequenceEqual(flights.IdOf(right!).Bytes);

        public int GetHashCode(TKey key) => flights.IdOf(key).Hash;
    }
}
