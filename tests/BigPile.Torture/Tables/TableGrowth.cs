using System;
using System.Globalization;
using System.Threading;
using BigPile.Caching;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Tables;

/// <summary>A table that one thread makes, fills until its index has grown several times, empties from its beginning, and drops.</summary>
internal sealed unsafe class TableGrowth(TableTarget target, Journal journal, Findings findings, int thread)
{
    private const int None = 0;
    private const int There = 1;
    private const int Dropping = 2;
    private const int KeysAtOnce = 24;
    private const int MostKeys = 2_500;

    private string Name => string.Create(CultureInfo.InvariantCulture, $"growing {thread}");

    private ThreadRecord* Record => journal.ThreadAt(thread);

    /// <summary>Goes on with it.</summary>
    internal void Step(Dice dice)
    {
        if (Record->GrowthPut >= MostKeys)
        {
            Drop();
            return;
        }
        CacheTable<long, byte[]> table = target.Tables.Cache.GetOrCreateTable<long, byte[]>(Name);
        Volatile.Write(ref Record->GrowthState, There);
        for (int i = 0; i < KeysAtOnce; i++)
        {
            table.PutBytes(Record->GrowthPut, ValueOf(Record->GrowthPut), out _);
            Volatile.Write(ref Record->GrowthPut, Record->GrowthPut + 1);
            if (dice.OneIn(3))
                Remove(table);
        }
    }

    /// <summary>Compares the table with what the thread did, while nobody changes it.</summary>
    internal void Check(bool mayBeUndone)
    {
        bool isThere = target.Tables.Cache.TryGetTable(Name, out CacheTable<long, byte[]>? table);
        if (!mayBeUndone && Record->GrowthState == There && !isThere)
            findings.Lost("a table that was made is not there", Name);
        if (!mayBeUndone && isThere)
            CheckKeys(table!);
        if (mayBeUndone || Record->GrowthState != There)
            Drop();
    }

    private void CheckKeys(CacheTable<long, byte[]> table)
    {
        long first = Record->GrowthState == None ? 0 : Record->GrowthRemoved;
        long end = Record->GrowthState == None ? 0 : Record->GrowthPut;
        for (long key = Math.Max(0, first - KeysAtOnce); key <= end + 1; key++)
        {
            bool isThere = table.TryGet(key, out byte[]? value);
            if (isThere && !value.AsSpan().SequenceEqual(ValueOf(key)))
                findings.Wrong("a growing table has another value", $"{Name}, key {key}: {ValueBytes.Describe(value)}");
            if (!isThere && key > first && key < end)
                findings.Lost("a key of a growing table is not there", $"{Name}, key {key} of {first} to {end}");
            if (isThere && (key < first || key > end))
                findings.Wrong("a growing table has a key that it must not have", $"{Name}, key {key} of {first} to {end}");
        }
        if (Math.Abs(table.Count - (end - first)) > 1)
            findings.Wrong("a growing table counts other keys", $"{Name}: {table.Count} of {first} to {end}");
        if (Record->GrowthState == There)
            Reconcile(table);
    }

    // What was in flight counts from here on.
    private void Reconcile(CacheTable<long, byte[]> table)
    {
        if (table.ContainsKey(Record->GrowthPut))
            Record->GrowthPut++;
        if (Record->GrowthRemoved < Record->GrowthPut && !table.ContainsKey(Record->GrowthRemoved))
            Record->GrowthRemoved++;
    }

    private void Remove(CacheTable<long, byte[]> table)
    {
        if (Record->GrowthRemoved >= Record->GrowthPut)
            return;
        if (!table.Remove(Record->GrowthRemoved))
            findings.Lost("while it is running, a key of a growing table is not there", $"{Name}, key {Record->GrowthRemoved}");
        Volatile.Write(ref Record->GrowthRemoved, Record->GrowthRemoved + 1);
    }

    private void Drop()
    {
        Volatile.Write(ref Record->GrowthState, Dropping);
        _ = target.Tables.Cache.DropTable(Name);
        Record->GrowthPut = 0;
        Record->GrowthRemoved = 0;
        Volatile.Write(ref Record->GrowthState, None);
    }

    private byte[] ValueOf(long key) => ValueBytes.Build(thread, (uint)key + 1, 0, ValueBytes.HeadBytes + (int)(key % 40));
}
