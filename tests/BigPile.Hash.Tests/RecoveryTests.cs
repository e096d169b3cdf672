using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Files;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests;

/// <summary>What a recovery costs, and that it comes to the same whatever memory it has.</summary>
public sealed class RecoveryTests(ITestOutputHelper output) : IDisposable
{
    private static readonly Guid Boot = new(1, 2, 3, new byte[8]);

    private readonly ScratchDirectory _temporary = new();

    private string FilePath => Path.Combine(_temporary.Root, "database");

    public void Dispose() => _temporary.Dispose();

    /// <summary>Each record is read and linked some few times, though there are chains of dozens.</summary>
    [Theory]
    [InlineData(HashEnding.Killed)]
    [InlineData(HashEnding.PowerCut)]
    public void Its_calls_grow_with_the_records_and_not_with_the_length_of_chains(HashEnding ending)
    {
        const int Records = 20_000; // of which each would meet 40 others in its chain
        var options = new HashDatabaseOptions { Tuning = Some.FewBuckets, BootId = Boot };
        using (HashDatabase database = HashDatabase.Open(FilePath, options))
        {
            for (int i = 0; i < Records; i++)
                database.Set(BitConverter.GetBytes(i), BitConverter.GetBytes(i));
            database.Synchronize();
            byte[] killed = PileFiles.ReadShared(FilePath);
            database.Close();
            File.WriteAllBytes(FilePath, killed);
        }
        var counted = new CountedCalls();
        using HashDatabase recovered = HashDatabase.Open(FilePath, options with
        {
            FileKind = BlockFileKind.PositionalParallel, Hook = counted, BootId = ending == HashEnding.Killed ? Boot : Guid.NewGuid(),
        });
        output.WriteLine($"{ending}: {Records} records, {counted.Reads} reads, {counted.Writes} writes");
        Assert.Equal((ending, (long)Records, 0L), (recovered.Recovery.Ending, recovered.Count, recovered.Recovery.DamagedRecords));
        Assert.InRange(counted.Reads + counted.Writes, 1, Records * 3);
        Assert.Equal(ending == HashEnding.Killed, counted.Writes < Records / 10); // then chains are right as they are
        Assert.True(recovered.ShouldBeRebuilt);
        recovered.Rebuild();
        Assert.False(recovered.ShouldBeRebuilt);
        Assert.InRange(recovered.Tuning.Buckets, Records, Records * 4);
        Assert.Equal(Records, recovered.Count());
    }

    [Theory]
    [InlineData(HashEnding.Killed, 1)]
    [InlineData(HashEnding.Killed, 200)]
    [InlineData(HashEnding.PowerCut, 1)]
    [InlineData(HashEnding.PowerCut, 200)]
    public void With_little_memory_it_comes_to_the_same_in_parts(HashEnding ending, int recoveredAtOnce)
    {
        const int Records = 700;
        var options = new HashDatabaseOptions { Tuning = Some.FewBuckets, BootId = Boot };
        var expected = new Dictionary<int, byte[]>();
        byte[] killed;
        using (HashDatabase database = HashDatabase.Open(FilePath, options))
        {
            for (int round = 0; round < 2; round++)
            {
                for (int i = 0; i < Records; i += 1 + round)
                    database.Set(Some.Key(i), expected[i] = Some.Bytes(i + round, i % 60));
                for (int i = round; i < Records; i += 11)
                    Assert.Equal(expected.Remove(i), database.Remove(Some.Key(i)));
                if (round == 0)
                    database.Synchronize();
            }
            killed = PileFiles.ReadShared(FilePath);
        }
        File.WriteAllBytes(FilePath, killed);
        using HashDatabase recovered = HashDatabase.Open(FilePath, options with
        {
            BootId = ending == HashEnding.Killed ? Boot : Guid.NewGuid(), MaxRecoveredAtOnce = recoveredAtOnce,
        });
        Assert.Equal((ending, 0L, 0L), (recovered.Recovery.Ending, recovered.Recovery.TornRecords, recovered.Recovery.DamagedRecords));
        Some.AssertHolds(recovered, expected);
        HashStatistics statistics = Some.AssertSound(recovered);
        Assert.NotEqual(0, statistics.WaitingBytes);
        recovered.Synchronize();
        recovered.Synchronize();
        Assert.Equal(0, Some.AssertSound(recovered).WaitingBytes);
    }

    private sealed class CountedCalls : IFileHook
    {
        private int _reads;
        private int _writes;

        internal int Reads => _reads;

        internal int Writes => _writes;

        public void Before(FileOperation operation, string path)
        {
            if (operation == FileOperation.Read)
                Interlocked.Increment(ref _reads);
            else if (operation == FileOperation.Write)
                Interlocked.Increment(ref _writes);
        }

        public void After(FileOperation operation, string path)
        {
        }
    }
}
