using System;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

/// <summary>Random changes of tables, and of their model with them.</summary>
internal sealed class TableSteps(TableModel model, TableOperations operations, ManualTime time, Random random, Action<string> log)
{
    private const int Keys = 150;
    private const int Tags = 5;

    internal static string AnyTag(Random random) => "tag" + random.Next(Tags);

    internal void Burst(OpenTables tables)
    {
        int steps = 1 + random.Next(random.Next(6) == 0 ? 150 : 25);
        for (int i = 0; i < steps; i++)
            Step(tables);
        if (Does(TableOperations.Create) && random.Next(10) == 0)
            tables.Create();
        if (Does(TableOperations.Expire) && random.Next(3) == 0)
            Advance(tables);
        if (Does(TableOperations.RemoveByTag) && random.Next(5) == 0)
            RemoveByTag(tables, random.Next(tables.Count));
        if (Does(TableOperations.Clear) && random.Next(12) == 0)
            Clear(tables, random.Next(tables.Count));
        if (Does(TableOperations.Drop) && random.Next(12) == 0 && tables.Cache.Readiness.IsReady)
            Drop(tables, random.Next(tables.Count));
        if ((operations & (TableOperations.Expire | TableOperations.RemoveByTag)) != 0 && random.Next(4) == 0)
            Sweep(tables);
        if (Does(TableOperations.Compact) && random.Next(4) == 0)
            Do("compact", () => tables.Pile.Compact());
        if (Does(TableOperations.Trim) && random.Next(4) == 0)
            Do("trim", tables.Pile.Trim);
    }

    /// <summary>Changes that may be made before the indexes know every entry.</summary>
    internal void StepWhileRebuilding(OpenTables tables)
    {
        for (int i = Does(TableOperations.WhileRebuilding) ? random.Next(20) : 0; i > 0; i--)
        {
            var key = new TableKey(random.Next(tables.Count), random.Next(Keys));
            if (Does(TableOperations.Remove) && random.Next(3) == 0)
                Remove(tables, key);
            else
                Put(tables, key);
        }
        if (Does(TableOperations.WhileRebuilding | TableOperations.RemoveByTag) && random.Next(3) == 0)
            RemoveByTag(tables, random.Next(tables.Count));
        tables.WaitUntilReady();
        RecordEvicted(tables);
    }

    private bool Does(TableOperations operation) => operations.HasFlag(operation);

    private void Step(OpenTables tables)
    {
        var key = new TableKey(random.Next(tables.Count), random.Next(Keys));
        bool isThere = model.Live().Contains(key);
        int dice = random.Next(100);
        if (!isThere)
            PutAny(tables, key);
        else if (dice < 40 && Does(TableOperations.Replace))
            PutAny(tables, key);
        else if (dice < 60 && Does(TableOperations.Remove))
            Remove(tables, key);
        else if (dice < 85 && Does(TableOperations.Sliding))
            Use(tables, key);
        else if (dice < 92 && Does(TableOperations.Pointer))
            MoveOut(tables, key);
    }

    private void PutAny(OpenTables tables, TableKey key)
    {
        if (Does(TableOperations.Pointer) && random.Next(3) == 0)
            PutPointer(tables, key);
        else
            Put(tables, key);
        RecordEvicted(tables);
    }

    private void Put(OpenTables tables, TableKey key)
    {
        byte[] value = NewValue();
        EntryOptions options = NewOptions(out string? tag);
        log($"put {key} of {value.Length}");
        tables[key.Table].PutBytes(key.Key, value, options, out EntryInfo info);
        EntryPriority priority = options.Priority ?? EntryPriority.Normal;
        model.Put(key, new EntryState(value, info.Version, info.ExpiresAt, options.Sliding, priority, tag, default));
    }

    private void PutPointer(OpenTables tables, TableKey key)
    {
        byte[] value = NewValue();
        EntryOptions options = NewOptions(out string? tag);
        PilePointer pointer = tables.Pile.Put(value);
        model.PutObject(pointer);
        log($"put {key} with the object {pointer} of {value.Length}");
        tables[key.Table].PutPointer(key.Key, pointer, options);
        RecordState(tables, key, value, tag, pointer);
    }

    // A value that lies in its entry gets an object of its own.
    private void MoveOut(OpenTables tables, TableKey key)
    {
        EntryState state = model.Now[key];
        log($"move {key} out");
        Assert.True(tables[key.Table].TryGetPointer(key.Key, out PilePointer pointer));
        if (pointer == state.Owned)
            return;
        model.PutObject(pointer);
        RecordState(tables, key, state.Value, state.Tag, pointer);
    }

    private void Remove(OpenTables tables, TableKey key)
    {
        log($"remove {key}");
        tables[key.Table].Remove(key.Key);
        model.Remove(key);
    }

    private void Use(OpenTables tables, TableKey key)
    {
        EntryState state = model.Now[key];
        time.Advance(TimeSpan.FromSeconds(random.Next(3)));
        if (state.IsDeadAt(time.GetUtcNow()))
            return;
        log($"use {key}");
        bool isThere = tables[key.Table].TryGet(key.Key, out byte[]? value);
        Assert.True(isThere && value.AsSpan().SequenceEqual(state.Value), $"{key} is not what was put: {state}");
        RecordState(tables, key, state.Value, state.Tag, state.Owned);
    }

    private void Advance(OpenTables tables)
    {
        time.Advance(TimeSpan.FromSeconds(random.Next(1, 40)));
        log("advance");
        RecordEvicted(tables);
    }

    private void Sweep(OpenTables tables)
    {
        log("sweep");
        tables.Sweep();
    }

    private void RemoveByTag(OpenTables tables, int table)
    {
        string tag = AnyTag(random);
        log($"remove by {tag} in {table}");
        tables[table].RemoveByTag(tag);
        foreach ((TableKey key, EntryState state) in model.Now.Where(pair => pair.Key.Table == table).ToArray())
        {
            if (state.Tag == tag)
                model.RemoveLater(key);
        }
    }

    private void Clear(OpenTables tables, int table)
    {
        log($"clear {table}");
        tables[table].Clear();
        foreach (TableKey key in model.Now.Keys.Where(key => key.Table == table).ToArray())
            model.Remove(key);
    }

    private void Drop(OpenTables tables, int table)
    {
        log($"drop {table}");
        tables.Drop(table);
        foreach (TableKey key in model.Now.Keys.Where(key => key.Table == table).ToArray())
            model.Remove(key);
    }

    internal void RecordEvicted(OpenTables tables)
    {
        if (!Does(TableOperations.Evict) || !tables.Cache.Readiness.IsReady)
            return;
        foreach (TableKey key in model.Live().Where(static key => key.Table == OpenTables.Limited).ToArray())
        {
            if (!tables[key.Table].TryGetEntry(key.Key, out _))
                model.Remove(key);
        }
    }

    private void RecordState(OpenTables tables, TableKey key, byte[] value, string? tag, PilePointer owned)
    {
        tables.WriteUses(key.Table);
        if (tables[key.Table].TryGetEntry(key.Key, out TableEntry<long> entry))
            model.Put(key, new EntryState(value, entry.Info.Version, entry.ExpiresAt, entry.Sliding, entry.Priority, tag, owned));
        else
            model.Remove(key); // evicted at once
    }

    private EntryOptions NewOptions(out string? tag)
    {
        bool expires = Does(TableOperations.Expire) && random.Next(4) == 0;
        bool isSliding = Does(TableOperations.Sliding) && random.Next(2) == 0;
        tag = Does(TableOperations.RemoveByTag) && random.Next(2) == 0 ? AnyTag(random) : null;
        return new EntryOptions
        {
            MaxAge = expires ? TimeSpan.FromSeconds(random.Next(5, 100)) : null,
            Sliding = isSliding ? TimeSpan.FromSeconds(Does(TableOperations.Expire) ? random.Next(20, 200) : 1_000_000) : null,
            Priority = random.Next(10) == 0 ? EntryPriority.High : null,
            Tags = tag == null ? null : [tag],
        };
    }

    private byte[] NewValue()
    {
        int lengthBytes = random.Next(20) switch { 0 => random.Next(9_000, 90_000), < 5 => random.Next(500, 6_000), _ => random.Next(300) };
        var value = new byte[lengthBytes];
        random.NextBytes(value);
        return value;
    }

    private void Do(string step, Action action)
    {
        log(step);
        action();
    }
}
