using System;
using System.IO;

namespace BigPile.Hash.Tests;

/// <summary>A file that was cut inside an extent, and is used again: what is left of that extent's head is not valid any more.</summary>
public sealed class CutFileTests
{
    private const int Records = 8;
    private const int LongBytes = 20_000;

    [Fact]
    public void What_is_synchronized_behind_the_opening_of_a_cut_file_stays()
    {
        int seed = TestLeg.Seed(5);
        var random = new Random(seed);
        for (int trial = 0; trial < TestLeg.Steps(60, 5_000); trial++)
        {
            using var directory = new ScratchDirectory();
            string path = Path.Combine(directory.Root, "hash");
            Fill(path, random);
            Cut(path, random);
            var options = new HashDatabaseOptions { Restore = HashRestoreMode.AsFarAsSound };
            using (HashDatabase database = HashDatabase.Open(path, options))
            {
                for (int i = 0; i < Records; i++)
                    database.Set([2, (byte)i], Value(i, random.Next(1, LongBytes)));
                database.Synchronize();
                Assert.True(database.Verify().IsSound, $"seed {seed}, trial {trial}");
            }
            using HashDatabase again = HashDatabase.Open(path);
            for (int i = 0; i < Records; i++)
                Assert.True(again.Contains([2, (byte)i]), $"seed {seed}, trial {trial}, record {i}");
        }
    }

    private static void Fill(string path, Random random)
    {
        using HashDatabase database = HashDatabase.Open(path, new HashDatabaseOptions { Tuning = new HashTuning { Buckets = 256 } });
        for (int i = 0; i < Records; i++)
            database.Set([1, (byte)i], Value(i, random.Next(LongBytes / 2, LongBytes)));
        database.Synchronize();
    }

    private static void Cut(string path, Random random)
    {
        using FileStream file = File.OpenWrite(path);
        file.SetLength(file.Length - random.Next(1, 5 * LongBytes));
    }

    private static byte[] Value(int number, int bytes)
    {
        var value = new byte[bytes];
        Array.Fill(value, (byte)(number + 1));
        return value;
    }
}
