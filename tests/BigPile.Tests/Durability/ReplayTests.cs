using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>The log is put back over whatever mixture of states the device holds.</summary>
public sealed class ReplayTests : DurabilityTest
{
    /// <summary>
    /// A page was laid out anew since the checkpoint. Its word reached the device and its slots did not, so that old payload bytes lie
    /// where headers are; and these look like links of a high generation.
    /// </summary>
    [Fact]
    public void Old_payload_bytes_that_look_like_younger_links_do_not_keep_flushed_objects_away()
    {
        var likeALink = new byte[1_000];
        for (int i = 0; i < likeALink.Length; i += sizeof(ulong))
            BitConverter.TryWriteBytes(likeALink.AsSpan(i), new BlockHeader(BlockKind.Link, 0xF00000, 4_000).Word);
        using Pile pile = Open();
        PilePointer[] old = [.. Enumerable.Range(0, 200).Select(_ => pile.Put(likeALink))];
        Checkpoint(pile);
        Array.ForEach(old, pile.Delete);
        pile.Trim();
        var live = new Dictionary<PilePointer, string>();
        for (int i = 0; i < 2_000; i++)
            live[pile.Put("flushed " + i)] = "flushed " + i;
        pile.Flush();
        Files.Build(
            ImagePath, static (name, offset) => name.StartsWith("segment", StringComparison.Ordinal) && offset < SizeClasses.PageBytes);
        using Pile image = OpenImage();
        Assert.DoesNotContain(live, pair => !image.TryGet(pair.Key, out object? value) || !pair.Value.Equals(value));
        Assert.All(old, pointer => Assert.False(image.Contains(pointer)));
    }

    /// <summary>Between two flushes a page is freed and laid out anew, as slots of another size, as part of a run, and back.</summary>
    [Fact]
    public void Pages_that_were_laid_out_anew_between_flushes_hold_what_was_flushed_last()
    {
        int seed = TestLeg.Seed(21);
        for (int run = 0; run < TestLeg.Steps(3, 100); run++)
            LayOutAnew(seed + run);
    }

    private void LayOutAnew(int seed)
    {
        var random = new Random(seed);
        if (System.IO.Directory.Exists(PilePath))
            System.IO.Directory.Delete(PilePath, recursive: true);
        using Pile pile = Open(static options => options with { FlushLogBytes = 4 << 20 });
        var live = new Dictionary<PilePointer, byte[]>();
        var dead = new List<PilePointer>();
        for (int round = 0; round < 6; round++)
        {
            foreach (PilePointer pointer in live.Keys.Where(_ => random.Next(8) != 0).ToArray())
            {
                pile.Delete(pointer);
                live.Remove(pointer);
                dead.Add(pointer);
            }
            pile.Trim();
            int lengthBytes = random.Next(3) == 0 ? random.Next(40_000, 200_000) : random.Next(8, 3_000);
            for (int bytes = 0; bytes < 600_000; bytes += lengthBytes)
            {
                var value = new byte[lengthBytes];
                Noise.Fill(value, random.NextInt64());
                PilePointer pointer = pile.Put(value);
                live[pointer] = value;
                if (random.Next(6) == 0)
                    pile.Replace(pointer, live[pointer] = new byte[random.Next(2) == 0 ? lengthBytes / 2 : lengthBytes * 2]);
            }
            pile.Flush();
            int newShare = random.Next(101);
            Files.Build(ImagePath, (name, _) => name.StartsWith("segment", StringComparison.Ordinal) && random.Next(100) < newShare);
            using Pile image = OpenImage(static options => options with { Warmup = PileWarmup.Off });
            foreach ((PilePointer pointer, byte[] value) in live)
                Assert.True(image.TryGet(pointer, out byte[]? found)
                    && found.AsSpan().SequenceEqual(value), $"seed {seed}, round {round}: {pointer} is not as it was flushed");
            Assert.All(dead, pointer => Assert.False(image.Contains(pointer), $"seed {seed}, round {round}: {pointer} is back"));
            image.Recovery.Completion.Wait();
            Assert.Equal(live.Count, image.Statistics.ObjectCount);
        }
    }

    private static void Checkpoint(Pile pile)
    {
        pile.Engine.RequestCheckpoint();
        pile.Flush();
    }
}
