using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Tests.Durability;

/// <summary>The room of what a power cut tore is used again, and given back; nobody's pointer names anything in it.</summary>
public sealed class TornSpaceTests : DurabilityTest
{
    private const int Objects = 40;

    // A segment's head, and of each heap the page that it is at.
    private const long MostKeptBytes = 4 * 65_536;

    [Theory]
    [InlineData(100, false)]
    [InlineData(5_000, false)]
    [InlineData(100_000, false)]
    [InlineData(100, true)]
    [InlineData(5_000, true)]
    [InlineData(100_000, true)]
    public void Payloads_or_headers_that_the_device_has_in_part(int payloadBytes, bool isHeaderTorn)
    {
        using Pile pile = Open();
        PilePointer kept = pile.Put(Payload(0, payloadBytes));
        pile.Flush();
        var torn = new List<PilePointer>();
        for (int i = 1; i <= Objects; i++)
            torn.Add(pile.Put(Payload(i, payloadBytes)));
        KilledPile.Copy(PilePath, ImagePath);
        foreach (PilePointer pointer in torn)
            Tear(pointer, payloadBytes, isHeaderTorn);
        using Pile cut = OpenImage();
        cut.Recovery.Completion.Wait();
        Assert.Equal(Payload(0, payloadBytes), cut.Get<byte[]>(kept));
        Assert.All(torn, pointer => Assert.False(cut.Contains(pointer)));
        AssertSpaceIsUsed(cut, torn, payloadBytes);
        cut.Delete(kept);
        cut.Flush();
        cut.Trim();
        Assert.Equal(1, cut.Statistics.SegmentCount); // one is kept for what comes
        Assert.InRange(cut.Statistics.CommittedBytes, 0, MostKeptBytes);
    }

    private static void AssertSpaceIsUsed(Pile pile, List<PilePointer> torn, int payloadBytes)
    {
        HashSet<ulong> unused = [.. torn.Select(static pointer => pointer.Address)];
        var put = new List<PilePointer>();
        for (int i = 0; i < 2_000 && unused.Count != 0 && i * (long)payloadBytes < 8 * SegmentBytes; i++)
        {
            Concurrency.PileRegions.Current.Shard = i; // whichever heap has the page
            put.Add(pile.Put(new byte[payloadBytes]));
            unused.Remove(put[^1].Address);
        }
        Assert.Empty(unused);
        Assert.All(torn, pointer => Assert.False(pile.Contains(pointer)));
        put.ForEach(pile.Delete);
    }

    private static byte[] Payload(int number, int payloadBytes) => Noise.Of(payloadBytes, number);

    private void Tear(PilePointer pointer, int payloadBytes, bool isHeaderTorn)
    {
        long at = (long)pointer.Address * 8;
        string path = Path.Combine(ImagePath, $"segment-{at / SegmentBytes:D6}");
        using FileStream file = File.OpenWrite(path);
        file.Position = at % SegmentBytes + (isHeaderTorn ? 0 : 8);
        byte[] other = new byte[isHeaderTorn ? 8 : payloadBytes / 2];
        Array.Fill(other, (byte)0xEE); // as a header: a run's length in a slot
        file.Write(other);
    }
}
