using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using BigPile.Files;

namespace BigPile.Hash.Tests;

public sealed class SideBySideTests
{
    private const int Writers = 3;
    private const int KeysOfWriter = 300;

    public static TheoryData<BlockFileKind> Kinds => [.. BlockFile.Kinds];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Writers_readers_walks_and_rebuilds_do_not_disturb_each_other(BlockFileKind kind)
    {
        using var directory = new TemporaryDirectory();
        var options = new HashDatabaseOptions { FileKind = kind, Tuning = new HashTuning { Buckets = 256 } };
        using var database = HashDatabase.Open(Path.Combine(directory.Path, "hash"), options);
        for (int i = 0; i < KeysOfWriter; i++)
            database.Set(Bytes("fixed " + i), Bytes("fixed " + i));
        var models = new Dictionary<string, string>[Writers];
        bool isOver = false;
        var failures = new List<Exception>();
        Thread[] others = [Start(Walk), Start(Read)];
        Thread[] writers = [.. Enumerable.Range(0, Writers).Select(number => Start(() => models[number] = Write(database, number)))];
        foreach (long buckets in new long[] { 1024, 256, 4096 })
        {
            database.Rebuild(new HashTuning { Buckets = buckets, OffsetWidth = 4 });
            database.Synchronize();
        }
        foreach (Thread writer in writers)
            writer.Join();
        Volatile.Write(ref isOver, true);
        foreach (Thread other in others)
            other.Join();
        Assert.Empty(failures);
        Assert.Empty(database.Verify().Problems);
        foreach ((string key, string value) in models.SelectMany(static model => model))
            Assert.Equal(value, Encoding.UTF8.GetString(database.Get(Bytes(key))!));
        Assert.Equal(KeysOfWriter + models.Sum(static model => model.Count), database.Count);

        Thread Start(Action action)
        {
            var thread = new Thread(() =>
            {
                try
                {
                    action();
                }
                catch (Exception e)
                {
                    lock (failures)
                        failures.Add(e);
                }
            });
            thread.Start();
            return thread;
        }

        void Walk()
        {
            while (!Volatile.Read(ref isOver))
            {
                string[] keys = [.. database.Select(static record => Encoding.UTF8.GetString(record.Key.Span))];
                Assert.Equal(keys.Length, keys.Distinct().Count());
                Assert.Equal(KeysOfWriter, keys.Count(static key => key.StartsWith("fixed", StringComparison.Ordinal)));
            }
        }

        void Read()
        {
            for (int i = 0; !Volatile.Read(ref isOver); i = (i + 1) % KeysOfWriter)
                Assert.Equal(Bytes("fixed " + i), database.Get(Bytes("fixed " + i)));
        }
    }

    [Fact]
    public void A_callback_can_neither_call_back_nor_break_anything()
    {
        using var directory = new TemporaryDirectory();
        using var database = HashDatabase.Open(Path.Combine(directory.Path, "hash"));
        database.Set("key"u8, "old"u8);
        Assert.Throws<InvalidOperationException>(() => database.Process("key"u8, (_, _, _) =>
        {
            database.Set("other"u8, "x"u8);
            return RecordChange.Remove;
        }));
        Assert.Throws<FormatException>(() => database.Process("key"u8, static (_, _, _) => throw new FormatException()));
        Assert.Equal("old"u8.ToArray(), database.Get("key"u8));
        database.Process("key"u8, static (exists, value, _) => RecordChange.Set(new byte[] { exists ? (byte)1 : (byte)0, value[0] }));
        Assert.Equal([1, (byte)'o'], database.Get("key"u8)!);
        database.Process("key"u8, static (_, _, _) => RecordChange.Remove);
        Assert.False(database.Contains("key"u8));
        Assert.Equal(7, database.Increment("counter"u8, 2, 5));
        Assert.Throws<OverflowException>(() => database.Increment("counter"u8, long.MaxValue));
        Assert.Equal(11, database.Append("counter"u8, "bc"u8, "-"u8));
        Assert.Throws<InvalidOperationException>(() => database.Increment("counter"u8));
        Assert.True(database.CompareExchange("new"u8, null, [1]) && database.CompareExchange("new"u8, [1], null));
        Assert.False(database.CompareExchange("new"u8, [1], [2]));
        Assert.Throws<ArgumentException>(() => database.TryGet("counter"u8, new byte[3], out _));
        database.Clear();
        Assert.Equal((0, 0), (database.Count, database.Count()));
        Assert.Equal(0, database.GetStatistics().LiveBytes);
    }

    private static Dictionary<string, string> Write(HashDatabase database, int number)
    {
        var random = new Random(number);
        var model = new Dictionary<string, string>();
        for (int i = 0; i < 8000; i++)
        {
            string key = $"writer {number} {random.Next(KeysOfWriter)}";
            if (random.Next(3) == 0)
            {
                Assert.Equal(model.Remove(key), database.Remove(Bytes(key)));
                continue;
            }
            model[key] = new string('v', random.Next(200));
            database.Set(Bytes(key), Bytes(model[key]));
        }
        return model;
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
