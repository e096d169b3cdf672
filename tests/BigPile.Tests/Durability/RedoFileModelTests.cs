using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>Redo records against a dictionary of those that run, across kills; and with bits flipped.</summary>
public sealed unsafe class RedoFileModelTests(ITestOutputHelper output) : IDisposable
{
    private const string Name = "redo";

    private readonly ScratchDirectory _scratch = new();

    public void Dispose() => _scratch.Dispose();

    [Fact]
    public void A_kill_leaves_exactly_the_records_that_ran()
    {
        Directory.CreateDirectory(_scratch.Root);
        int seed = TestLeg.Seed(1_100);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        int found = 0;
        for (int life = 0; life < TestLeg.Steps(40, 4_000); life++)
        {
            var running = new Dictionary<int, Record>();
            using (RedoFile file = Open())
            {
                file.Clear();
                file.CheckInvariants();
                for (int step = random.Next(1, 30); step > 0; step--)
                {
                    Step(file, running, random);
                    file.CheckInvariants();
                    Check(file, running);
                }
            }
            using RedoFile after = Open(); // nobody ended those that ran
            Check(after, running);
            found += running.Count;
        }
        Assert.NotEqual(0, found);
    }

    [Fact]
    public void Whatever_bit_is_flipped_a_record_is_found_as_it_may_be_read_or_not_at_all()
    {
        Directory.CreateDirectory(_scratch.Root);
        int seed = TestLeg.Seed(1_200);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var running = new Dictionary<int, Record>();
        int count;
        using (RedoFile file = Open())
        {
            file.Clear();
            count = file.Count;
            while (running.Count < count)
                Begin(file, running, random);
        }
        string path = _scratch.At(Name);
        byte[] whole = File.ReadAllBytes(path);
        int recordBytes = whole.Length / count;
        int lost = 0;
        for (int flip = 0; flip < TestLeg.Steps(192, 20_000); flip++)
        {
            int index = random.Next(count);
            int bit = flip < 192 ? flip : random.Next(192); // of the three words of its head
            byte[] flipped = [.. whole];
            flipped[index * recordBytes + bit / 8] ^= (byte)(1 << (bit % 8));
            File.WriteAllBytes(path, flipped);
            using RedoFile file = Open();
            RedoFile.Found? found = file.Read(index);
            lost += found == null ? 1 : 0;
            if (found is { } record)
                Assert.True(record is { LengthBytes: >= 0 and <= RedoFile.MaxPartBytes, OffsetBytes: >= 0 });
            Check(file, running.Where(pair => pair.Key != index), count - 1);
        }
        Assert.NotEqual(0, lost);
    }

    private RedoFile Open()
    {
        using HeldDirectory directory = HeldDirectory.Open(_scratch.Root);
        return RedoFile.Open(directory, Name);
    }

    private static void Step(RedoFile file, Dictionary<int, Record> running, Random random)
    {
        bool isFull = running.Count == file.Count; // one more would wait for ever
        if (!isFull && random.Next(5) < 3)
        {
            Begin(file, running, random);
        }
        else if (running.Count != 0)
        {
            int index = running.Keys.ElementAt(random.Next(running.Count));
            file.End(index);
            running.Remove(index);
        }
    }

    private static void Begin(RedoFile file, Dictionary<int, Record> running, Random random)
    {
        ulong address = (ulong)random.NextInt64(1, 1L << PilePointer.AddressBits);
        ulong header = new BlockHeader(BlockKind.Bytes, (uint)random.Next(1 << 24), (ulong)random.Next()).Word;
        byte[] bytes = new byte[random.Next(4) == 0 ? RedoFile.MaxPartBytes : random.Next(300)];
        Noise.Fill(bytes, random.NextInt64());
        int first = random.Next(bytes.Length + 1);
        int offsetBytes = random.Next();
        int index = file.Begin(random.Next(), address, header, offsetBytes, bytes.AsSpan(0, first), bytes.AsSpan(first));
        running.Add(index, new Record(address, header, offsetBytes, bytes));
    }

    private static void Check(RedoFile file, Dictionary<int, Record> running)
    {
        for (int index = 0; index < file.Count; index++)
            Assert.Equal(running.ContainsKey(index), file.Read(index) != null);
        Check(file, running, running.Count);
    }

    private static void Check(RedoFile file, IEnumerable<KeyValuePair<int, Record>> running, int expected)
    {
        int count = 0;
        foreach ((int index, Record record) in running)
        {
            RedoFile.Found found = Assert.NotNull(file.Read(index));
            Assert.Equal((record.Address, record.HeaderWord, record.OffsetBytes), (found.Address, found.HeaderWord, found.OffsetBytes));
            Assert.True(new ReadOnlySpan<byte>((byte*)found.Bytes, found.LengthBytes).SequenceEqual(record.Bytes));
            count++;
        }
        Assert.Equal(expected, count);
    }

    private sealed record Record(ulong Address, ulong HeaderWord, int OffsetBytes, byte[] Bytes);
}
