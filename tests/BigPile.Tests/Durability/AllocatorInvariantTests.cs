using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>The allocator of a whole pile says the same in all its parts, after every change, every flush, and behind kills.</summary>
public sealed class AllocatorInvariantTests(ITestOutputHelper output) : DurabilityTest
{
    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Managed)]
    public void Whatever_is_done_to_a_pile_in_memory(StoreKind kind)
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, Store = kind });
        Change(pile, [], TestLeg.Seed(1_400), TestLeg.Steps(300, 60_000));
    }

    [Fact]
    public void Whatever_is_done_to_a_mapped_pile_and_to_what_kills_leave_of_it()
    {
        int seed = TestLeg.Seed(1_500);
        List<(PilePointer Pointer, int LengthBytes)> live = [];
        string at = PilePath;
        for (int life = 0; life < TestLeg.Steps(3, 40); life++)
        {
            using Pile pile = OpenAt(at, null, null);
            pile.Flush(); // behind it every page is examined
            Check(pile);
            foreach ((PilePointer pointer, int lengthBytes) in live)
                Assert.Equal(lengthBytes, pile.Get<byte[]>(pointer).Length);
            Change(pile, live, seed + life, TestLeg.Steps(150, 4_000));
            string next = Path.Combine(OtherPath, $"life{life}");
            KilledPile.Copy(at, next); // as a kill leaves it
            at = next;
        }
    }

    private void Change(Pile pile, List<(PilePointer Pointer, int LengthBytes)> live, int seed, int steps)
    {
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        for (int step = 0; step < steps; step++)
        {
            Step(pile, live, random);
            Check(pile);
        }
        Assert.Equal(live.Count, pile.Statistics.ObjectCount);
    }

    // What a step had done in the background, such as a flush that gives room back, goes on behind it.
    private static void Check(Pile pile)
    {
        Eventually.True(() => pile.Engine.Background.IsIdle);
        pile.Blocks.Allocator.CheckInvariants();
    }

    private static void Step(Pile pile, List<(PilePointer Pointer, int LengthBytes)> live, Random random)
    {
        int index = random.Next(Math.Max(1, live.Count));
        switch (random.Next(40))
        {
            case < 18:
                Put(pile, live, random);
                break;
            case < 27 when live.Count != 0:
                pile.Delete(live[index].Pointer);
                live.RemoveAt(index);
                break;
            case < 36 when live.Count != 0:
                byte[] other = new byte[LengthOf(random)];
                pile.Replace(live[index].Pointer, other);
                live[index] = (live[index].Pointer, other.Length);
                break;
            case 36:
                pile.Flush();
                break;
            case 37:
                pile.Trim();
                break;
            case 38 when random.Next(4) == 0:
                live.ForEach(one => pile.Delete(one.Pointer));
                live.Clear();
                break;
            default:
                Enumerable.Range(0, 50).ToList().ForEach(_ => Put(pile, live, random));
                break;
        }
    }

    private static void Put(Pile pile, List<(PilePointer Pointer, int LengthBytes)> live, Random random)
    {
        byte[] value = new byte[LengthOf(random)];
        live.Add((pile.Put(value), value.Length));
    }

    private static int LengthOf(Random random) =>
        random.Next(20) == 0 ? random.Next(400_000) : random.Next(4) == 0 ? random.Next(20_000) : random.Next(200);
}
