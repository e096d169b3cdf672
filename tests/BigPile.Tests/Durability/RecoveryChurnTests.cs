using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>Threads use a pile while its pages are examined for the first time.</summary>
public sealed class RecoveryChurnTests(ITestOutputHelper output) : DurabilityTest
{
    /// <summary>
    /// Threads read, replace, move and delete while pages are examined for the first time, on demand and in turn at once.
    /// </summary>
    [Fact]
    public async Task Everything_goes_on_while_pages_are_examined()
    {
        for (int round = 0; round < TestLeg.Steps(3, 200); round++)
        {
            int seed = TestLeg.Seed(61) + round * 10;
            output.WriteLine($"seed {seed}");
            await Churn(seed, round % 3 == 2);
        }
    }

    private async Task Churn(int seed, bool isClosedEarly)
    {
        const int threads = 3;
        if (System.IO.Directory.Exists(PilePath))
            System.IO.Directory.Delete(PilePath, recursive: true);
        var models = new Dictionary<PilePointer, byte[]>[threads];
        var dead = new List<PilePointer>[threads];
        using (Pile pile = Open())
        {
            for (int i = 0; i < threads; i++)
            {
                (models[i], dead[i]) = ([], []);
                Change(pile, models[i], dead[i], new Random(seed + i), 4_000);
            }
            KilledPile.Copy(PilePath, OtherPath);
        }
        if (seed % 20 >= 10)
            KilledPile.Copy(OtherPath, PilePath); // as a kill leaves it
        using (Pile pile = Open())
        {
            await Task.WhenAll(Enumerable.Range(
                0, threads).Select(i => SideBySide.Start(() => Change(pile, models[i], dead[i], new Random(seed + 100 + i), 3_000))));
            if (!isClosedEarly)
            {
                pile.Recovery.Completion.Wait();
                Check(pile, models, dead, seed);
            }
        }
        using Pile again = Open();
        again.Recovery.Completion.Wait();
        Check(again, models, dead, seed);
    }

    private static void Check(Pile pile, Dictionary<PilePointer, byte[]>[] models, List<PilePointer>[] dead, int seed)
    {
        Assert.Equal(0, pile.Recovery.FaultCount);
        Assert.Equal(0, pile.Recovery.OrphanCount);
        foreach ((PilePointer pointer, byte[] value) in models.SelectMany(static model => model))
            Assert.True(pile.TryGet(pointer, out byte[]? found) && found.AsSpan().SequenceEqual(value), $"seed {seed}: {pointer}");
        Assert.All(
            dead.SelectMany(static list => list), pointer => Assert.False(pile.Contains(pointer), $"seed {seed}: {pointer} is back"));
        Assert.Equal(models.Sum(static model => model.Count), pile.Statistics.ObjectCount);
        Assert.Equal(models.Sum(static model => model.Count), pile.Count());
        PileStatistics s = pile.Statistics;
        Assert.Equal(s.CommittedBytes, s.PayloadBytes + s.HeaderBytes + s.SlackBytes + s.FreeBytes + s.UnexaminedBytes);
        PileVerification verification = pile.Verify();
        Assert.True(verification.IsSound, $"seed {seed}: {string.Join("; ", verification.Faults)}");
    }

    private static void Change(Pile pile, Dictionary<PilePointer, byte[]> model, List<PilePointer> dead, Random random, int steps)
    {
        var pointers = new List<PilePointer>(model.Keys);
        for (int step = 0; step < steps; step++)
        {
            int dice = pointers.Count == 0 ? 0 : random.Next(10);
            var value = new byte[random.Next(100) == 0 ? random.Next(30_000, 150_000) : random.Next(900)];
            Noise.Fill(value, random.NextInt64());
            if (dice < 4)
            {
                PilePointer added = pile.Put(value);
                model.Add(added, value);
                pointers.Add(added);
                continue;
            }
            int index = random.Next(pointers.Count);
            PilePointer pointer = pointers[index];
            if (dice < 7)
            {
                pile.Replace(pointer, model[pointer] = value);
                continue;
            }
            Assert.True(pile.GetBytes(pointer).AsSpan().SequenceEqual(model[pointer]), $"{pointer} is not what was put");
            if (dice < 8)
                continue;
            pile.Delete(pointer);
            model.Remove(pointer);
            dead.Add(pointer);
            pointers[index] = pointers[^1];
            pointers.RemoveAt(pointers.Count - 1);
        }
    }
}
