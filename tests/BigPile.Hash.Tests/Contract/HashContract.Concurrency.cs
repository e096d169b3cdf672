using System;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Hash.Tests.Concurrency;

namespace BigPile.Hash.Tests.Contract;

public abstract partial class HashContract
{
    /// <summary>Three write, three read, one walks, one rebuilds and synchronizes: eight threads.</summary>
    [Fact]
    public void Readers_have_whole_values_of_the_right_time_beside_all_else()
    {
        int seed = TestLeg.Seed(50);
        int rounds = TestLeg.Steps(600, 300_000);
        Output.WriteLine($"seed {seed}");
        using HashDatabase database = Open();
        var run = new VersionedRun(database, keys: 300, writers: 3, seed);
        SideBySide.Rounds(
        [
            .. Enumerable.Range(0, 3).Select(writer => new SideBySide.Worker(rounds, run.Writer(writer))),
            .. Enumerable.Range(0, 3).Select(reader => new SideBySide.Worker(rounds, run.Reader(reader))),
            new SideBySide.Worker(rounds / 400, (Action<int>)(_ => run.Walk())),
            new SideBySide.Worker(rounds / 500, (Action<int>)(number =>
            {
                if (number % 3 == 0)
                    database.Synchronize();
                else
                    database.Rebuild(new HashTuning { Buckets = number % 2 == 0 ? 256 : 1_024 });
                Some.AssertAddsUp(database.GetStatistics());
            })),
        ]);
        run.CheckAll();
        Some.AssertSound(database);
        Output.WriteLine($"{run.Reads:N0} reads, {database.GetStatistics()}");
    }

    [Fact]
    public void No_change_of_one_record_by_many_is_lost()
    {
        const int Threads = 8;
        int rounds = TestLeg.Steps(100, 30_000);
        using HashDatabase database = Open();
        var done = new int[Threads];
        SideBySide.Rounds(
        [
            .. Enumerable.Range(0, Threads).Select(thread => new SideBySide.Worker(rounds, (Action<int>)(number =>
            {
                database.Increment("counter"u8);
                database.Append("text"u8, Encoding.ASCII.GetBytes($"{thread}"));
                database.Process("processed"u8, static (_, value, _) => RecordChange.Set(Next(value)));
                Exchange(database);
                done[thread] = number + 1;
            }))),
            new SideBySide.Worker(3, (Action<int>)(_ => database.Rebuild())),
        ]);
        int sum = done.Sum();
        Assert.Equal(sum, database.Increment("counter"u8, 0));
        Assert.Equal(sum, BitConverter.ToInt32(database.Get("processed"u8)));
        Assert.Equal(sum, BitConverter.ToInt32(database.Get("exchanged"u8)));
        byte[] text = database.Get("text"u8)!;
        for (int thread = 0; thread < Threads; thread++)
            Assert.Equal(done[thread], text.Count(letter => letter == (byte)('0' + thread)));
        Assert.Equal(4, database.Count);
        Some.AssertSound(database);
    }

    [Fact]
    public void A_clear_beside_writers_leaves_what_came_behind_it()
    {
        using HashDatabase database = Open();
        SideBySide.Rounds(
        [
            .. Enumerable.Range(0, 4).Select(writer => new SideBySide.Worker(1_000, (Action<int>)(number =>
            {
                int key = writer * 100 + number % 100;
                database.Set(Some.Key(key), VersionedValue.Make(key, number));
                if (database.Get(Some.Key(key)) is { } value)
                    Assert.Equal(number, VersionedValue.Check(value, key));
            }))),
            new SideBySide.Worker(20, (Action<int>)(_ => database.Clear())),
        ]);
        Assert.Equal(database.Count(), database.Count);
        Some.AssertSound(database);
        database.Clear();
        Assert.Equal(0, database.Count);
        Assert.Equal(0, Some.AssertSound(database).LiveBytes);
    }

    /// <summary>Rooms are taken, given, waited for and moved between shards; the file grows and is emptied.</summary>
    [Theory]
    [InlineData(HashUpdateMode.InPlace)]
    [InlineData(HashUpdateMode.Appending)]
    public void Statistics_add_up_at_any_instant(HashUpdateMode mode)
    {
        int rounds = TestLeg.Steps(200, 200_000);
        using HashDatabase database = Open(new HashDatabaseOptions { Tuning = Some.FewBuckets, UpdateMode = mode });
        SideBySide.Rounds(
        [
            .. Enumerable.Range(0, 4).Select(writer => new SideBySide.Worker(rounds, (Action<int>)(number =>
            {
                int key = writer + 4 * (number % 500);
                if (number % 3 == 0)
                    database.Remove(Some.Key(key));
                else
                    database.Set(Some.Key(key), new byte[1 << (number % 13)]);
            }))),
            new SideBySide.Worker(rounds / 100, (Action<int>)(number => database.Synchronize(hard: number % 2 == 0))),
            new SideBySide.Worker(rounds / 200, (Action<int>)(_ => database.Clear())),
            new SideBySide.Worker(rounds / 800, (Action<int>)(_ => database.Rebuild())),
            .. Enumerable.Range(0, 2).Select(_ => new SideBySide.Worker(
                rounds, (Action<int>)(_ => Some.AssertAddsUp(database.GetStatistics())))),
        ]);
        Some.AssertSound(database);
    }

    [Fact]
    public void A_database_that_is_closed_under_its_users_keeps_what_they_were_told()
    {
        for (int round = 0; round < TestLeg.Steps(2, 500); round++)
        {
            HashDatabase database = Open(new HashDatabaseOptions { Tuning = Some.FewBuckets, Mode = System.IO.FileMode.Create });
            var set = new int[3];
            Task[] users =
            [
                .. Enumerable.Range(0, 3).Select(user => Until(() =>
                {
                    int number = set[user];
                    database.Set(Some.Key(number * 3 + user), VersionedValue.Make(number * 3 + user, 2));
                    Volatile.Write(ref set[user], number + 1);
                })),
                Until(() => database.Get(Some.Key(1))), Until(() => database.Count()), Until(() => database.Synchronize(hard: false)),
                Until(() => database.Rebuild()),
            ];
            Eventually.True(() => Volatile.Read(ref set[0]) > 50);
            database.Close();
            Assert.True(Task.WaitAll(users, Eventually.Timeout));
            using HashDatabase again = Open();
            Assert.Equal(HashEnding.Closed, again.Recovery.Ending);
            for (int user = 0; user < 3; user++)
            {
                for (int number = 0; number < set[user]; number++)
                    VersionedValue.Check(again.Get(Some.Key(number * 3 + user)), number * 3 + user);
            }
            Some.AssertSound(again);
        }

        static Task Until(Action action) => SideBySide.Start(() =>
        {
            try
            {
                while (true)
                    action();
            }
            catch (ObjectDisposedException)
            {
                // as it should
            }
        });
    }

    private static void Exchange(HashDatabase database)
    {
        while (true)
        {
            byte[]? before = database.Get("exchanged"u8);
            if (database.CompareExchange("exchanged"u8, before, Next(before)))
                return;
        }
    }

    private static byte[] Next(ReadOnlySpan<byte> value) => BitConverter.GetBytes((value.IsEmpty ? 0 : BitConverter.ToInt32(value)) + 1);
}
