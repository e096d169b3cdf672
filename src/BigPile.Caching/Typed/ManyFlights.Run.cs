using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>The run: what it finds, makes and leaves.</summary>
internal sealed partial class ManyFlights<TKey, TValue>
{
    [SuppressMessage("Design", "CA1031", Justification = "The waiting callers get the exception.")]
    private async Task RunManyAsync(Member[] own, FlightNode node, Call call)
    {
        node.Enter(); // until this method ends
        var found = new Dictionary<Member, TValue>();
        Exception? failure = null;
        try
        {
            Member[] toMake = [.. own.Where(member => !TryFind(member, call.Options, found))];
            if (toMake.Length != 0)
                await MakeManyAsync(toMake, node, call, found).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            failure = e;
        }
        Complete(own, found, failure);
    }

    // Those that were found have their values, whatever became of the others.
    private void Complete(Member[] own, Dictionary<Member, TValue> found, Exception? failure)
    {
        foreach (Member member in own)
            flights.Flights.Remove(member.Id, member.Flight);
        foreach (Member member in own)
        {
            bool isFound = found.TryGetValue(member, out TValue? value);
            if (failure == null || isFound)
                member.Own!.Complete(value!);
            else
                member.Own!.Fail(failure);
            flights.End(member.Own);
        }
    }

    private bool TryFind(Member member, EntryOptions? options, Dictionary<Member, TValue> found)
    {
        if (!flights.TryGetOrBegin(member.Own!, member.Key, options, member.Replaced, out TValue? value))
            return false;
        found.Add(member, value);
        return true;
    }

    private async ValueTask MakeManyAsync(Member[] members, FlightNode node, Call call, Dictionary<Member, TValue> found)
    {
        Debug.Assert(Array.TrueForAll(members, static member => member.Own is { Ticket: not null }), "All runs have begun.");
        using var abandoned = new Abandonment(members);
        abandoned.Token.ThrowIfCancellationRequested();
        Dictionary<Member, TValue> made;
        try
        {
            made = await flights.RunFactoryAsync(
                token => RunFactoryAsync(members, node, call, token), node, isRefresh: false, call.IsBlocking, call.Rules, abandoned.Token)
                .ConfigureAwait(false);
        }
        catch
        {
            foreach (Member member in members.Where(static member => !member.Flight.IsAbandoned))
            {
                member.Flight.MarkFactoryFailed();
                flights.Throttle(member.Key, call.Rules);
            }
            throw;
        }
        foreach (Member member in members)
        {
            if (flights.Failures.IsAny)
                flights.Failures.Clear(table.HashOf(member.Key));
            if (made.TryGetValue(member, out TValue? value))
            {
                found.Add(member, value);
                table.PutMade(member.Key, value, call.Options, member.Own!.Ticket!);
            }
            else
            {
                member.Flight.MarkAbsent();
            }
        }
    }

    private static async ValueTask<Dictionary<Member, TValue>> RunFactoryAsync(
        Member[] members, FlightNode node, Call call, CancellationToken abandoned)
    {
        IReadOnlyDictionary<TKey, TValue> values =
            await call.Factory([.. members.Select(static member => member.Key)], abandoned).ConfigureAwait(false)
            ?? throw new InvalidOperationException($"The factory for {node} returned null; it must return a dictionary of values.");
        var made = new Dictionary<Member, TValue>();
        foreach (Member member in members)
        {
            if (values.TryGetValue(member.Key, out TValue? value)) // application code, where the dictionary is
                made.Add(member, value);
        }
        return made;
    }

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
