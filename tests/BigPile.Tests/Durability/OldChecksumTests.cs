using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using BigPile.Layout;

namespace BigPile.Tests.Durability;

/// <summary>Damage that the sum of formats 1 to 6 was blind to: it is found, and nothing wrong is served.</summary>
public sealed class OldChecksumTests : DurabilityTest
{
    private const int ObjectBytes = 600;
    private const int Objects = 40;

    public static TheoryData<int, int, bool> Classes => new()
    {
        { 0, 1, false }, { 3, 4, false }, { 4, 5, false }, { 3, 5, false },
        { 0, 1, true }, { 3, 4, true }, { 4, 5, true }, { 7, 8, true }, { 8, 9, true },
    };

    /// <param name="first">A word of the payload.</param>
    /// <param name="second">Another one.</param>
    /// <param name="swaps">Whether the two change places; else the same bit is flipped in both.</param>
    [Theory]
    [MemberData(nameof(Classes))]
    public void What_hits_two_lanes_alike_is_found(int first, int second, bool swaps)
    {
        var values = new Dictionary<PilePointer, byte[]>();
        using (Pile pile = Open())
        {
            for (int i = 0; i < Objects; i++)
            {
                var value = new byte[ObjectBytes];
                Noise.Fill(value, i);
                values[pile.Put(value)] = value;
            }
        }
        string path = Path.Combine(PilePath, "segment-000000");
        byte[] segment = File.ReadAllBytes(path);
        foreach (PilePointer pointer in values.Keys)
            Damage(segment.AsSpan((int)pointer.Address * 8 + BlockHeader.SizeBytes, ObjectBytes), first, second, swaps);
        File.WriteAllBytes(path, segment);

        Assert.Equal(Objects, Pile.VerifyDirectory(PilePath).FaultCount);
        using Pile reader = Open(static options => options with { ReadOnly = true, Checksums = PileChecksums.AtEveryRead });
        Assert.Equal(0, values.Keys.Count(pointer => Serves(reader, pointer)));
    }

    private static bool Serves(Pile pile, PilePointer pointer)
    {
        try
        {
            return pile.TryGet(pointer, out byte[]? _);
        }
        catch (PileStorageException)
        {
            return false;
        }
    }

    private static void Damage(Span<byte> payload, int first, int second, bool swaps)
    {
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(payload);
        if (swaps)
        {
            (words[first], words[second]) = (words[second], words[first]);
            return;
        }
        words[first] ^= 1UL << 17;
        words[second] ^= 1UL << 17;
    }
}
