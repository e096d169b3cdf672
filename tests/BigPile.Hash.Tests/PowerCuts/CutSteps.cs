using System;
using System.Buffers.Binary;

namespace BigPile.Hash.Tests.PowerCuts;

/// <summary>Random changes of a database, and of its model with it.</summary>
internal sealed class CutSteps(CutModel model, CutOperations operations, Random random, Action<string> log)
{
    private const int Keys = 250;
    private const long MaxLiveBytes = 400_000;

    internal void Burst(HashDatabase database)
    {
        int steps = 1 + random.Next(random.Next(5) == 0 ? 200 : 20);
        for (int i = 0; i < steps; i++)
            Step(database);
        if (operations.HasFlag(CutOperations.Rebuild) && random.Next(8) == 0)
            Rebuild(database);
        if (operations.HasFlag(CutOperations.Clear) && random.Next(12) == 0)
            Clear(database);
        if (random.Next(4) == 0)
            database.Synchronize(hard: false);
    }

    private void Step(HashDatabase database)
    {
        int key = random.Next(random.Next(2) == 0 ? 12 : Keys);
        bool isThere = model.Now.ContainsKey(key);
        int dice = random.Next(100);
        if (isThere && (model.LiveBytes > MaxLiveBytes || (dice < 30 && operations.HasFlag(CutOperations.Remove))))
            Remove(database, key);
        else if (dice < 50 && operations.HasFlag(CutOperations.Change))
            Change(database, key);
        else if (!isThere || operations.HasFlag(CutOperations.Replace))
            Set(database, key);
    }

    private void Set(HashDatabase database, int key)
    {
        byte[] value = Some.Bytes(random.Next(), random.Next(3) == 0 && model.Now.TryGetValue(key, out byte[]? old)
            ? old.Length
            : Some.Length(random));
        log($"set {key} to {value.Length}");
        model.Record(key, value);
        Assert.True(database.Set(Some.Key(key), value));
    }

    private void Remove(HashDatabase database, int key)
    {
        log($"remove {key}");
        model.Record(key, null);
        Assert.True(database.Remove(Some.Key(key)));
    }

    private void Change(HashDatabase database, int key)
    {
        byte[]? old = model.Now.TryGetValue(key, out byte[]? there) ? there : null;
        switch (random.Next(4))
        {
            case 0:
                byte[] more = Some.Bytes(random.Next(), random.Next(50));
                log($"append {more.Length} to {key}");
                model.Record(key, [.. old ?? [], .. more]);
                database.Append(Some.Key(key), more);
                break;
            case 1 when old == null || old.Length == sizeof(long):
                Increment(database, key, old);
                break;
            case 2:
                byte[]? desired = random.Next(3) == 0 ? null : Some.Bytes(random.Next(), Some.Length(random));
                log($"exchange {key} for {desired?.Length}");
                model.Record(key, desired);
                Assert.True(database.CompareExchange(Some.Key(key), old, desired));
                break;
            default:
                byte[] value = Some.Bytes(random.Next(), Some.Length(random));
                log($"process {key} to {value.Length}");
                model.Record(key, value);
                database.Process(Some.Key(key), static (_, _, state) => RecordChange.Set(state), value);
                break;
        }
    }

    private void Increment(HashDatabase database, int key, byte[]? old)
    {
        var bytes = new byte[sizeof(long)];
        long before = old == null ? 0 : BinaryPrimitives.ReadInt64LittleEndian(old);
        if (before == long.MaxValue)
            return;
        BinaryPrimitives.WriteInt64LittleEndian(bytes, before + 1);
        log($"count {key}");
        model.Record(key, bytes);
        Assert.Equal(before + 1, database.Increment(Some.Key(key)));
    }

    private void Rebuild(HashDatabase database)
    {
        log("rebuild");
        database.Rebuild();
    }

    private void Clear(HashDatabase database)
    {
        log("clear");
        model.RecordClear();
        database.Clear();
    }
}
