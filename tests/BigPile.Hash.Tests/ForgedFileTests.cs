using System;
using System.IO;
using BigPile.Files;
using Xunit.Abstractions;

namespace BigPile.Hash.Tests;

/// <summary>Files with bytes that no database writes end in an exception, or are used as far as they are whole.</summary>
public sealed class ForgedFileTests(ITestOutputHelper output)
{
    private static readonly int Forgeries = TestLeg.Steps(100, 2_000);
    private const int MostGrowthBytes = 8 << 20;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Forged_bytes_end_in_an_exception_or_are_passed_over(bool isSameBoot)
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("BIGPILE_SEED"), out int given) ? given : Environment.TickCount;
        output.WriteLine($"BIGPILE_SEED={seed}");
        var random = new Random(seed);
        using var directory = new ScratchDirectory();
        string path = Path.Combine(directory.Root, "hash");
        byte[] whole = Make(path);
        int refused = 0;
        for (int i = 0; i < Forgeries; i++)
        {
            byte[] forged = (byte[])whole.Clone();
            for (int j = random.Next(1, 20); j > 0; j--)
                forged[random.Next(3) == 0 ? random.Next(2048) : random.Next(forged.Length)] = (byte)random.Next(256);
            if (random.Next(4) == 0)
                forged = forged[..random.Next(forged.Length)];
            File.WriteAllBytes(path, forged);
            refused += IsRefused(path, isSameBoot ? null : Guid.NewGuid()) ? 1 : 0;
            Assert.True(new FileInfo(path).Length <= whole.Length + MostGrowthBytes);
        }
        output.WriteLine($"{refused} of {Forgeries} were refused");
        Assert.InRange(refused, 1, Forgeries - 1);
    }

    private static byte[] Make(string path)
    {
        using (var database = HashDatabase.Open(path, new HashDatabaseOptions { Tuning = new HashTuning { Buckets = 256 } }))
        {
            for (int i = 0; i < 500; i++)
                database.Set(BitConverter.GetBytes(i), new byte[i]);
            for (int i = 0; i < 500; i += 3)
                database.Remove(BitConverter.GetBytes(i));
        }
        return File.ReadAllBytes(path);
    }

    private static bool IsRefused(string path, Guid? bootId)
    {
        try
        {
            HashDatabase.Verify(path);
            var options = new HashDatabaseOptions { BootId = bootId, FileKind = BlockFileKind.PositionalParallel };
            using var database = HashDatabase.Open(path, options);
            database.Verify();
            for (int i = 0; i < 500; i++)
            {
                byte[]? value = database.Get(BitConverter.GetBytes(i));
                Assert.True(value == null || !value.AsSpan().ContainsAnyExcept((byte)0));
                database.Set(BitConverter.GetBytes(i), new byte[i / 2]);
            }
            database.Synchronize();
            return false;
        }
        catch (HashDatabaseException)
        {
            return true;
        }
    }
}
