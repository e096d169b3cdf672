using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Hash.Space;

namespace BigPile.Hash.Tests;

/// <summary>Free extents beside a list of free units.</summary>
public sealed class FreeExtentsTests
{
    private const int Units = 400;

    [Theory]
    [InlineData(1, 1.0)]
    [InlineData(2, 0.5)] // some neighbours must not be joined
    [InlineData(3, 0.0)]
    public void Pieces_are_what_is_free_and_neighbours_are_one(int seed, double joins)
    {
        seed = TestLeg.Seed(seed);
        var random = new Random(seed);
        var extents = new FreeExtents(_ => random.NextDouble() < joins);
        var isFree = new bool[Units];
        for (int step = 0; step < TestLeg.Steps(20_000, 1_000_000); step++)
        {
            string when = $"seed {seed}, step {step}";
            if (random.Next(2) == 0)
                Free(random, extents, isFree);
            else
                Take(random, extents, isFree, joins, when);
            Assert.True(isFree.Count(free => free) == extents.Bytes, when);
            extents.CheckInvariants([]);
        }
    }

    private static void Free(Random random, FreeExtents extents, bool[] isFree)
    {
        int offset = random.Next(Units);
        int length = 0;
        while (length < random.Next(1, 20) && offset + length < Units && !isFree[offset + length])
            isFree[offset + length++] = true;
        if (length != 0)
            extents.Add(new Extent(offset, length));
    }

    private static void Take(Random random, FreeExtents extents, bool[] isFree, double joins, string when)
    {
        int wanted = random.Next(1, 30);
        Extent? found = extents.Find(wanted);
        int[] runs = [.. RunsOf(isFree).Where(run => run >= wanted)];
        if (joins == 1)
            Assert.True(found?.Bytes == (runs.Length == 0 ? null : (long)runs.Min()), when);
        if (found is not { } extent)
            return;
        Assert.True(extent.Bytes >= wanted, when);
        extents.Remove(extent);
        for (long at = extent.Offset; at < extent.Offset + extent.Bytes; at++)
        {
            Assert.True(isFree[at], when);
            isFree[at] = at >= extent.Offset + wanted;
        }
        if (extent.Bytes > wanted)
            extents.Add(new Extent(extent.Offset + wanted, extent.Bytes - wanted));
    }

    private static IEnumerable<int> RunsOf(bool[] isFree)
    {
        int run = 0;
        foreach (bool free in isFree.Append(false))
        {
            if (free)
            {
                run++;
                continue;
            }
            if (run != 0)
                yield return run;
            run = 0;
        }
    }
}
