using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>A sector that the disk has lost, and reads as zeros: what lay there is reported, or was nothing.</summary>
public sealed class ZeroedSectorTests(ITestOutputHelper output) : DurabilityTest
{
    private const int SectorBytes = 512;
    private const string Segment = "segment-000000";
    private static readonly int[] _lengths = [0, 5, 8, 24, 40, 100, 101, 200, 496, 504, 505, 512, 1_000, 1_500, 4_000, 9_000, 40_000];

    private readonly Dictionary<PilePointer, byte[]> _values = [];

    private bool _isCut;

    [Fact]
    public void Of_a_pile_that_was_closed_is_reported()
    {
        using (Pile pile = OpenAndFill())
        {
        }
        KilledPile.Copy(PilePath, OtherPath);
        TryAll();
    }

    [Fact]
    public void Of_a_pile_that_was_killed_is_reported()
    {
        using (Pile pile = OpenAndFill())
            KilledPile.Copy(PilePath, OtherPath);
        TryAll();
    }

    /// <summary>Behind checkpoints what is flushed lies in the segments alone.</summary>
    [Fact]
    public void Of_a_pile_whose_power_was_cut_is_reported()
    {
        _isCut = true;
        using (Pile pile = OpenAndFill())
        {
            for (int i = 0; i < 4; i++)
            {
                PilePointer filler = pile.Put(new byte[2 << 20]); // more than the log holds: a checkpoint
                pile.Flush();
                pile.Delete(filler);
            }
            pile.Flush();
            KilledPile.Copy(PilePath, OtherPath);
        }
        TryAll();
    }

    private Pile OpenAndFill()
    {
        int seed = TestLeg.Seed(5);
        output.WriteLine($"seed {seed}");
        Pile pile = Open(static options => options with { FlushLogBytes = 1 << 20 });
        Fill(pile, new Random(seed));
        return pile;
    }

    private void TryAll()
    {
        byte[] segment = File.ReadAllBytes(Path.Combine(OtherPath, Segment));
        int sectors = segment.Length / SectorBytes;
        int step = TestLeg.Steps(397, 1);
        var tally = new Dictionary<string, int> { ["silent"] = 0 };
        for (int sector = 0; sector < sectors; sector += sector < 2 ? 1 : step)
        {
            string outcome = Try(segment, sector);
            tally[outcome] = tally.GetValueOrDefault(outcome) + 1;
        }
        output.WriteLine($"sectors zeroed: {string.Join(", ", tally.Select(static pair => $"{pair.Key} {pair.Value:N0}"))}");
        Assert.Equal(0, tally["silent"]);
        Assert.True(tally["reported"] > tally.Values.Sum() / 8, "the pile fills too little of its segment");
    }

    private string Try(byte[] segment, int sector)
    {
        Span<byte> lost = segment.AsSpan(sector * SectorBytes, SectorBytes);
        if (!lost.ContainsAnyExcept((byte)0))
            return "free";
        byte[] kept = lost.ToArray();
        lost.Clear();
        KilledPile.Copy(OtherPath, ImagePath);
        File.WriteAllBytes(Path.Combine(ImagePath, Segment), segment);
        kept.CopyTo(lost);
        try
        {
            return TryOpen(sector);
        }
        finally
        {
            Directory.Delete(ImagePath, recursive: true);
        }
    }

    private string TryOpen(int sector)
    {
        bool isVerified = !Pile.VerifyDirectory(ImagePath).IsSound;
        Pile pile;
        try
        {
            pile = OpenAt(ImagePath, _isCut ? NextBoot : null, null);
        }
        catch (PileStorageException)
        {
            Assert.True(isVerified, $"sector {sector}: refused, and verified as sound");
            return "refused";
        }
        using (pile)
        {
            pile.Recovery.Completion.Wait();
            Assert.Equal(_isCut, pile.Recovery.WasPowerCut);
            bool isReported = pile.Recovery.FaultCount != 0;
            int lost = _values.Count(pair => !pile.TryGet(pair.Key, out byte[]? value) || !value!.AsSpan().SequenceEqual(pair.Value));
            Assert.All(_values, pair => Assert.True(
                !pile.TryGet(pair.Key, out byte[]? value) || value!.AsSpan().SequenceEqual(pair.Value), $"sector {sector}: wrong bytes"));
            return isReported && isVerified ? "reported" : lost == 0 ? "free" : "silent";
        }
    }

    // Blocks of all kinds of sizes, links, freed slots with bytes in them, and pages that are not full.
    private void Fill(Pile pile, Random random)
    {
        for (int i = 0; i < 2_500; i++)
        {
            byte[] value = Value(random, random.Next(40) == 0 ? 40_000 : _lengths[random.Next(_lengths.Length - 2)]);
            _values[pile.Put(value)] = value;
            PilePointer old = _values.Keys.ElementAt(random.Next(_values.Count));
            if (i % 9 == 0)
            {
                pile.Delete(old);
                _values.Remove(old);
            }
            else if (i % 9 == 1)
            {
                _values[old] = Value(random, _values[old].Length + 30);
                pile.Replace(old, _values[old]);
            }
        }
    }

    private static byte[] Value(Random random, int lengthBytes) => Noise.Of(lengthBytes, random.NextInt64());
}
