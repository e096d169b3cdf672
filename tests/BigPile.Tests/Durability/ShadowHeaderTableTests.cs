using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>The table of headers against a dictionary.</summary>
public sealed unsafe class ShadowHeaderTableTests(ITestOutputHelper output) : IDisposable
{
    private const int Most = ShadowHeaderTable.Capacity / 2 + 100;

    private readonly TemporaryDirectory _temporary = new();

    public void Dispose() => _temporary.Dispose();

    private ShadowHeaderTable OpenTable()
    {
        using HeldDirectory directory = HeldDirectory.Open(_temporary.Path);
        return ShadowHeaderTable.Open(directory);
    }

    [Fact]
    public void What_goes_in_is_found_until_it_is_removed_and_survives_a_kill()
    {
        Directory.CreateDirectory(_temporary.Path);
        int seed = TestLeg.Seed(41);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var model = new Dictionary<(ulong Address, uint Generation), ulong>();
        for (int life = 0; life < 3; life++)
        {
            using ShadowHeaderTable table = OpenTable();
            table.Recover(_ => true);
            Check(table, model, seed);
            for (int round = 0; round < 4; round++)
            {
                while (model.Count < Most)
                    Add(table, model, random);
                Assert.True(!table.IsFull && table.IsHalfFull);
                Check(table, model, seed);
                foreach (ShadowHeaderTable.Entry entry in table.Entries().Where(_ => random.Next(round + 2) != 0))
                {
                    table.Remove(entry);
                    Assert.True(model.Remove((entry.Address, entry.Generation)));
                    Assert.True(table.Find(entry.Address, entry.Generation) == null);
                }
                Check(table, model, seed);
            }
        }
    }

    [Fact]
    public void An_empty_table_has_no_places_that_were_given_up()
    {
        Directory.CreateDirectory(_temporary.Path);
        using ShadowHeaderTable table = OpenTable();
        var random = new Random(TestLeg.Seed(42));
        for (int round = 0; round < 20; round++)
        {
            var model = new Dictionary<(ulong Address, uint Generation), ulong>();
            while (model.Count < ShadowHeaderTable.Capacity / 4)
                Add(table, model, random);
            table.Entries().ForEach(entry => table.Remove(entry));
            Assert.Equal(0, table.Count);
            Assert.False(table.IsHalfFull);
        }
    }

    [Fact]
    public void Recovery_after_a_kill_drops_shadow_headers_without_a_waiting_block_and_clears_stale_busy_bits()
    {
        Directory.CreateDirectory(_temporary.Path);
        using (ShadowHeaderTable table = OpenTable())
        {
            for (uint i = 1; i <= 100; i++)
                table.Add(i * 10, i, new BlockHeader(BlockKind.Link, i, i * 1_000).Busy);
        }
        using ShadowHeaderTable again = OpenTable();
        again.Recover(static entry => entry.Generation % 2 == 0);
        Assert.Equal(50, again.Count);
        for (uint i = 1; i <= 100; i++)
        {
            ulong* word = again.Find(i * 10, i);
            Assert.Equal(i % 2 == 0, word != null);
            Assert.True(word == null || *word == new BlockHeader(BlockKind.Link, i, i * 1_000).Word);
        }
    }

    private static void Add(ShadowHeaderTable table, Dictionary<(ulong Address, uint Generation), ulong> model, Random random)
    {
        ulong address = (ulong)random.NextInt64(1, 1L << PilePointer.AddressBits);
        var generation = (uint)random.Next(1 << 24);
        var header = new BlockHeader(BlockKind.Bytes, generation, (ulong)random.Next());
        if (model.TryAdd((address, generation), header.Word))
            table.Add(address, generation, header);
    }

    private static void Check(ShadowHeaderTable table, Dictionary<(ulong Address, uint Generation), ulong> model, int seed)
    {
        Assert.Equal(model.Count, table.Count);
        foreach (((ulong address, uint generation), ulong word) in model)
        {
            ulong* found = table.Find(address, generation);
            bool isFound = found != null && ShadowHeaderTable.Validate(found, new BlockHeader(word), address, generation);
            Assert.True(isFound, $"seed {seed}: {address:x}");
            Assert.True(
                table.Find(address, (generation + 1) & PilePointer.MaxGeneration) == null || model.ContainsKey((address, generation + 1)));
        }
    }
}
