using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using BigPile.Caching;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Tables;

/// <summary>What is done to tables and pile as a whole, beside puts and removals of the other threads.</summary>
internal sealed unsafe class TableMaintenance(TableTarget target, Journal journal, Findings findings, int thread, Dice dice)
{
    private const int MostTablesMade = 6;
    private const int LongestStepMs = 300;

    internal bool TryStep()
    {
        switch (dice.Next(5_000))
        {
            case < 300:
                target.Time.GoOn(TimeSpan.FromMilliseconds(1 + dice.Next(LongestStepMs)));
                return true;
            case < 308:
                FlushPile();
                return true;
            case < 311:
                _ = target.Pile.Compact();
                return true;
            case < 316:
                target.Pile.Trim();
                return true;
            case < 336:
                _ = target.Tables.All[dice.Next(TableSet.RoleCount)].Table.Sweep();
                return true;
            case < 346:
                Configure((TableRole)dice.Next(TableSet.RoleCount));
                return true;
            case < 352:
                WalkKeys();
                return true;
            case < 355:
                _ = target.Pile.Count();
                return true;
            case < 357:
                MakeTable();
                return true;
            case < 382:
                new TableGrowth(target, journal, findings, thread).Step(dice);
                return true;
            default:
                return false;
        }
    }

    private void FlushPile()
    {
        long began = journal.Tick();
        target.Pile.Flush();
        journal.RecordFlush(began);
    }

    // Nothing may go from any table but the one with a limit; so what changes is whether limits, counts and queues are there.
    private void Configure(TableRole role)
    {
        IKeyTable table = target.Tables.Of(role);
        bool isLimited = role == TableRole.Limited;
        var options = new TableOptions(table.Table.Name)
        {
            CollisionMode = isLimited && dice.OneIn(2) ? CollisionMode.Speculative : CollisionMode.Durable,
            Statistics = dice.OneIn(2),
            MaxEntries = dice.OneIn(3) ? null : isLimited ? 10 + dice.Next(60) : 1_000_000,
            MaxBytes = dice.OneIn(2) ? null : isLimited ? 1 << 20 : 1 << 30,
        };
        options = TableSet.WithFeed(options, role);
        if (dice.OneIn(2))
            table.Table.Configure(options);
        else
            table.GetAgain(options);
    }

    // What nobody changes comes exactly once: the keys of owned objects are their own thread's.
    private void WalkKeys()
    {
        TableRole role = dice.OneIn(2) ? TableRole.Owners : (TableRole)dice.Next(TableSet.RoleCount);
        List<int> found = [.. target.Tables.Of(role).Keys];
        if (role != TableRole.Owners || thread % 2 != 0)
            return;
        int first = thread / 2 * Journal.KeysPerPair;
        var own = found.Where(key => TableSet.PairOf(key) == thread / 2).ToList();
        var seen = own.ToHashSet();
        if (seen.Count != own.Count)
            findings.Wrong("while it is running, a walk gives a key twice", $"{own.Count - seen.Count} of {own.Count}");
        for (int key = first; key < first + Journal.KeysPerPair; key++)
        {
            if (TableSet.RoleOf(key) == TableRole.Owners)
                CheckWalked(key, seen.Contains(key));
        }
    }

    // Of what another start of the machine left, the journal may not know whether it must be there, and then it may.
    private void CheckWalked(int key, bool isSeen)
    {
        EntryState put = journal.KeyAt(key)->Put.Last;
        if (!isSeen && !target.Rules.MayBeGone(key, put))
            findings.Wrong("while it is running, a walk leaves a key out", $"key {key}");
        string why = !isSeen ? "" : put.Revision == 0 ? "a key that was never put is there" : target.Rules.WhyGone(key, put);
        if (why.Length != 0)
            findings.Wrong("while it is running, a walk gives a key that is gone", $"key {key}: {why}");
    }

    private void MakeTable()
    {
        ThreadRecord* record = journal.ThreadAt(thread);
        if (record->TablesMade == MostTablesMade)
            return;
        Fill(thread, record->TablesMade);
        record->TablesMade++;
    }

    /// <summary>Compares the tables that threads made, with one entry each.</summary>
    internal void CheckTablesMade(bool mayBeUndone)
    {
        for (int maker = 0; maker < journal.Threads; maker++)
        {
            for (int number = 0; number < journal.ThreadAt(maker)->TablesMade; number++)
                CheckTableMade(maker, number, mayBeUndone);
        }
    }

    private void CheckTableMade(int maker, int number, bool mayBeUndone)
    {
        string name = NameOf(maker, number);
        bool isThere = target.Tables.Cache.TryGetTable(name, out CacheTable<long, byte[]>? table);
        if (isThere && table!.TryGet(0, out byte[]? value))
        {
            if (!value!.AsSpan().SequenceEqual(ValueOf(maker, number)))
                findings.Wrong("a table that was made has another value", $"{name}: {ValueBytes.Describe(value)}");
            return;
        }
        if (!mayBeUndone)
            findings.Lost("a table that was made, or its entry, is not there", name);
        Fill(maker, number);
    }

    private void Fill(int maker, int number) =>
        target.Tables.Cache.GetOrCreateTable<long, byte[]>(NameOf(maker, number)).PutBytes(0, ValueOf(maker, number), out _);

    private static string NameOf(int maker, int number) => string.Create(CultureInfo.InvariantCulture, $"made {maker} {number}");

    private static byte[] ValueOf(int maker, int number) => ValueBytes.Build(maker, (uint)number + 1, 0, ValueBytes.HeadBytes);
}
