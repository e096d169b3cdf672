using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Advice;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tables;

/// <summary>The advice on the settings of a cache: asked for, and logged once each.</summary>
/// <param name="pile">The pile.</param>
/// <param name="options">The options of the cache.</param>
/// <param name="engines">The tables of this instant.</param>
internal sealed class AdviceLog(Pile pile, PileCacheOptions options, Func<TableEngine[]> engines)
{
    private const int MostSaid = 100; // clients of a service may make any number of tables

    private readonly HashSet<string> _said = new(StringComparer.Ordinal); // by the sweep alone, which runs once at a time
    private TableOptions[] _seen = []; // the options of the tables at the last look of the sweep
    private long _seenRefusals;
    private TableEngine[] _seenShort = []; // whose readers had to hurry

    /// <summary>The advice of this instant.</summary>
    internal string[] Now() => Of(engines());

    /// <summary>Logs what was not said before, if options have changed since the last call, puts were refused, or readers have to
    /// hurry.</summary>
    internal void SayNew(TableEngine[] tables)
    {
        TableOptions[] present = [.. tables.Where(static table => table.IsConfigured).Select(static table => table.Options)];
        long refusals = pile.Tables.Refusals.Said;
        TableEngine[] hurrying = [.. tables.Where(static table => table.IsConfigured && Advisor.IsShort(table.Feed.TimeForReaders))];
        if (refusals == _seenRefusals && present.AsSpan().SequenceEqual(_seen) && hurrying.AsSpan().SequenceEqual(_seenShort))
            return;
        (_seen, _seenRefusals, _seenShort) = (present, refusals, hurrying);
        if (_said.Count >= MostSaid)
            return;
        foreach (string advice in Of(tables).Where(_said.Add).Take(MostSaid - _said.Count))
            pile.Tables.Logger.LogWarning("{Advice}", advice);
    }

    // The options of a table that was found, and was not configured yet, are not those of the application.
    private string[] Of(TableEngine[] tables)
    {
        PileStatistics statistics = pile.Statistics;
        TableFacts[] facts = [.. tables.Where(static table => table.IsConfigured).Select(FactsOf)];
        // While an index is rebuilt nobody knows yet what lies in tables, and what outside of them.
        long usedBytes = tables.Any(static table => table.Visibility.IsRebuilding)
            ? facts.Sum(static table => table.BlockBytes)
            : statistics.CommittedBytes - statistics.FreeBytes
                - tables.Where(static table => !table.IsConfigured).Sum(HeldBytes);
        return [.. Advisor.Of(new PileFacts(statistics.LimitBytes, usedBytes, options.SpillDirectory != null), facts)];
    }

    // With the objects that go with entries: where their entries give way, they do.
    private static long HeldBytes(TableEngine table) => table.Statistics.BlockBytes + table.Limits.Budget.OwnedBytes;

    // A table that gives way counts what may go once the pile is nearly full, and before that there is nothing to say.
    private static TableFacts FactsOf(TableEngine table)
    {
        long blockBytes = HeldBytes(table);
        long goingBytes = table.Limits.AreOn ? table.Shrink.EvictableBytes : table.Options.MayGiveWay ? blockBytes : 0;
        return new TableFacts(table.Options, blockBytes, Math.Max(0, blockBytes - goingBytes))
        {
            FeedWindow = table.Feed.TimeForReaders,
        };
    }
}
