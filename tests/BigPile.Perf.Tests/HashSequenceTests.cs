using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Files;
using BigPile.Hash;
using BigPile.Perf.Loads;
using BigPile.Perf.Sequences;

namespace BigPile.Perf.Tests;

/// <summary>The sequence over a hash database: its rows, its keys and values, and what it notices.</summary>
public sealed class HashSequenceTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("bigpile-perf-tests-").FullName;

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Theory]
    [InlineData("--count 1000 --threads 1")]
    [InlineData("--count 999 --threads 2 --key-size 20 --value-size 300 --buckets 100")]
    [InlineData("--count 1000 --threads 2 --random --value-size 1")]
    [InlineData("--count 256 --threads 3 --key-size 1")]
    public async Task It_sets_gets_and_removes_in_each_kind_of_file(string options)
    {
        JsonElement rows = (await ConsoleRun.Of($"sequence --layer hash {options} --json")).JsonArray();
        Assert.Equal(BlockFile.Kinds.Select(BlockFile.NameOf), rows.EnumerateArray().Select(row => row.GetProperty("file").GetString()));
        Assert.All(rows.EnumerateArray(), row =>
        {
            Assert.Equal("hash", row.GetProperty("layer").GetString());
            string[] rates = ["setPerSecond", "getPerSecond", "removePerSecond"];
            Measured.AssertAbove0(row, rates);
            Assert.InRange(row.GetProperty("fileBytes").GetInt64(), 4096, 1L << 26);
        });
    }

    [Fact]
    public async Task A_table_for_people_has_what_is_removed()
    {
        ConsoleRun run = await ConsoleRun.Of("sequence --layer hash --file pos-para --count 100");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        Assert.All(["hash", "Remove per second"], part => Assert.Contains(part, run.Output));
        Assert.DoesNotContain("nothing to remove", run.Output);
    }

    [Theory]
    [InlineData("--count 257 --key-size 1", "--key-size 1 is too narrow for --count 257", "256 such keys")]
    [InlineData("--count 100000 --key-size 2", "--key-size 2 is too narrow for --count 100000", "65536 such keys")]
    [InlineData("--key-size 4097", "--key-size '4097' is out of range", "from 1 to 4096")]
    [InlineData("--value-size 0", "--value-size '0' is out of range", "from 1 to 1048576")]
    [InlineData("--count 1000000000 --value-size 1048576", "--key-size 8 and --value-size 1048576 needs", "--directory on a larger disk")]
    public async Task What_can_not_be_is_refused(string options, string thing, string limit) =>
        (await ConsoleRun.Of($"sequence --layer hash {options}")).AssertRefused(thing, limit);

    [Fact]
    public void A_record_that_is_gone_or_another_fails_the_load()
    {
        AssertWrong("Record 70 of the database in the std file is gone", database => database.Remove(KeyOf(70)));
        AssertWrong("Record 70 of the database in the std file came back changed", database => database.Set(KeyOf(70), new byte[8]));
        AssertWrong("Record 70 of the database in the std file came back changed", database => database.Set(KeyOf(70), new byte[7]));
        AssertWrong("came back longer", database => database.Set(KeyOf(70), new byte[9]));
    }

    [Fact]
    public void Too_many_records_and_too_few_fail_the_load()
    {
        var options = new SequenceOptions { Layer = SequenceLayer.Hash, Count = 100 };
        using var sequence = new HashSequence(options, BlockFileKind.PositionalParallel, Path.Combine(_directory, "hash"));
        Worker worker = Worker.Deal(100, 1)[0];
        sequence.Open(SequencePhase.Set);
        sequence.Set(worker, 0, 99);
        AssertCount(sequence, SequencePhase.Set, "counts 99 records, and 100 are right");
        sequence.Set(worker, 99, 100);
        sequence.Check(SequencePhase.Set);
        AssertCount(sequence, SequencePhase.Remove, "counts 100 records, and 0 are right");
    }

    [Theory]
    [InlineData(1, 256)]
    [InlineData(2, 3000)]
    [InlineData(8, 3000)]
    [InlineData(33, 3000)]
    public void Each_number_has_a_key_of_its_own(int keyBytes, int count)
    {
        HashBuffers buffers = HashBuffers.Make(new SequenceOptions { KeyBytes = keyBytes })[0];
        string[] keys = [.. Enumerable.Range(0, count).Select(i => Convert.ToHexString(buffers.KeyOf(i)))];
        Assert.All(keys, key => Assert.Equal(2 * keyBytes, key.Length));
        Assert.Equal(count, keys.Distinct().Count());
        Assert.Equal(keys.Order(StringComparer.Ordinal), keys);
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(4, 2990)]
    [InlineData(8, 3000)]
    [InlineData(11, 3000)]
    [InlineData(1000, 3000)]
    public void Each_number_has_a_value_of_its_own_where_it_has_the_room(int valueBytes, int leastDistinct)
    {
        HashBuffers buffers = HashBuffers.Make(new SequenceOptions { ValueBytes = valueBytes })[0];
        var values = new HashSet<string>();
        for (int i = 0; i < 3000; i++)
        {
            string value = Convert.ToHexString(buffers.ValueOf(i));
            Assert.Equal(2 * valueBytes, value.Length);
            Assert.Equal(value, Convert.ToHexString(buffers.ValueOf(i)));
            values.Add(value);
        }
        Assert.InRange(values.Count, leastDistinct, 3000);
    }

    private static byte[] KeyOf(long number)
    {
        var key = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(key, number);
        return key;
    }

    private static void AssertCount(HashSequence sequence, SequencePhase phase, string part) =>
        Assert.Contains(part, Assert.Throws<LoadException>(() => sequence.Check(phase)).Message);

    private void AssertWrong(string part, Action<HashDatabase> change)
    {
        var options = new SequenceOptions { Layer = SequenceLayer.Hash, Count = 100 };
        string path = Path.Combine(_directory, "hash");
        using var sequence = new HashSequence(options, BlockFileKind.Standard, path);
        Worker worker = Worker.Deal(100, 1)[0];
        sequence.Open(SequencePhase.Set);
        sequence.Set(worker, 0, 100);
        sequence.Close();
        using (HashDatabase database = HashDatabase.Open(path))
            change(database);
        sequence.Open(SequencePhase.Get);
        sequence.Get(worker, 0, 70);
        Assert.Contains(part, Assert.Throws<LoadException>(() => sequence.Get(worker, 0, 100)).Message);
        sequence.Close();
    }
}
