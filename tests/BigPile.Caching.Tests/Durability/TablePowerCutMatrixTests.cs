using System;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

/// <summary>One kind of change of flushed entries, and one kind of cut behind it.</summary>
public sealed class TablePowerCutMatrixTests
{
    private const int Keys = 100;

    private static readonly string[] Changes =
        ["replace", "use", "replace owned", "move out", "remove", "remove by tag, swept", "flushed removal by tag, swept", "clear"];

    /// <summary>What was flushed lies in the log, or where the log was emptied, in the segments alone.</summary>
    public static TheoryData<string, bool> Cases()
    {
        var cases = new TheoryData<string, bool>();
        foreach (string change in Changes)
        {
            cases.Add(change, false);
            cases.Add(change, true);
        }
        return cases;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void A_flushed_entry_that_was_changed_is_old_or_new_whatever_sectors_reached(string change, bool isInLog)
    {
        using var scratch = new ScratchDirectory();
        var random = new Random(7);
        var time = new ManualTime();
        var disk = new SimulatedDisk(scratch.At("pile"), random);
        var model = new TableModel(time);
        var tally = new CutTally();
        using (OpenTables before = Open(scratch.At("pile"), disk, time))
        {
            if (!isInLog)
                Fill(before, model, random, change);
        }
        using OpenTables tables = Open(scratch.At("pile"), disk, time);
        if (isInLog)
            Fill(tables, model, random, change);
        tables.Pile.Flush();
        model.EndFlush(model.BeginFlush());
        time.Advance(TimeSpan.FromSeconds(1));
        Change(tables, model, random, change);
        foreach (CutKind kind in Enum.GetValues<CutKind>().Where(static kind => kind != CutKind.End))
        {
            disk.Cut(scratch.At("image"), kind);
            using (OpenTables image = Open(scratch.At("image"), null, time))
                model.CheckCut(image, $"{change}, {kind} reached", tally);
            Assert.True(Pile.VerifyDirectory(scratch.At("image")).IsSound);
        }
        Assert.True(tally.IsClean, tally.ToString());
    }

    private static OpenTables Open(string directory, SimulatedDisk? disk, ManualTime time) =>
        new(directory, Guid.NewGuid(), disk, time, waits: true);

    private static void Fill(OpenTables tables, TableModel model, Random random, string change)
    {
        for (int key = 0; key < Keys; key++)
            Put(tables, model, random, key, isOwned: change == "replace owned");
        if (change == "flushed removal by tag, swept")
            RemoveByTag(tables, model);
    }

    private static void Change(OpenTables tables, TableModel model, Random random, string change)
    {
        if (change == "clear")
            tables[0].Clear();
        if (change == "remove by tag, swept")
            RemoveByTag(tables, model);
        if (change.Contains("swept", StringComparison.Ordinal))
            tables[0].Sweep();
        foreach (TableKey key in model.Live().ToArray())
            Change(tables, model, random, change, key);
    }

    private static void Change(OpenTables tables, TableModel model, Random random, string change, TableKey key)
    {
        EntryState old = model.Now[key];
        switch (change)
        {
            case "replace" or "replace owned":
                Put(tables, model, random, key.Key, change == "replace owned");
                break;
            case "use":
                Assert.True(tables[0].TryGet(key.Key, out _));
                Record(tables, model, key.Key, old.Value, old.Owned);
                break;
            case "move out":
                Assert.True(tables[0].TryGetPointer(key.Key, out PilePointer pointer));
                model.PutObject(pointer);
                Record(tables, model, key.Key, old.Value, pointer);
                break;
            case "remove":
                Assert.True(tables[0].Remove(key.Key));
                model.Remove(key);
                break;
            case "clear":
                model.Remove(key);
                break;
            default:
                break;
        }
    }

    private static void RemoveByTag(OpenTables tables, TableModel model)
    {
        tables[0].RemoveByTag("odd");
        foreach (TableKey key in model.Live().Where(static key => key.Key % 2 == 1).ToArray())
            model.RemoveLater(key);
    }

    private static void Put(OpenTables tables, TableModel model, Random random, long key, bool isOwned)
    {
        var value = new byte[20 + random.Next(random.Next(4) == 0 ? 9_000 : 500)];
        random.NextBytes(value);
        var options = new EntryOptions { Sliding = TimeSpan.FromDays(1), Tags = key % 2 == 1 ? ["odd"] : null };
        PilePointer pointer = default;
        if (isOwned)
        {
            pointer = tables.Pile.Put(value);
            model.PutObject(pointer);
            tables[0].PutPointer(key, pointer, options);
        }
        else
        {
            tables[0].Put(key, value, options);
        }
        Record(tables, model, key, value, pointer);
    }

    private static void Record(OpenTables tables, TableModel model, long key, byte[] value, PilePointer owned)
    {
        Assert.True(tables[0].TryGetEntry(key, out TableEntry<long> entry));
        string? tag = key % 2 == 1 ? "odd" : null;
        var state = new EntryState(value, entry.Info.Version, entry.ExpiresAt, entry.Sliding, entry.Priority, tag, owned);
        model.Put(new TableKey(0, key), state);
    }
}
