using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO.Hashing;
using System.Runtime.InteropServices;
using BigPile.Layout;
using BigPile.Memory;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>A block's checksum is the CRC-32C of its header and payload, and finds what a CRC finds.</summary>
public sealed unsafe class ChecksumTests(ITestOutputHelper output)
{
    private const ulong Header = 0x5A1234_40_00000258;

    private static readonly Crc32ParameterSet ByTable = Crc32ParameterSet.Create(0x1EDC6F41, uint.MaxValue, uint.MaxValue, true);

    [Fact]
    public void At_every_length_and_place_it_is_what_another_author_computes()
    {
        byte[] bytes = Noise.Of(TestLeg.Steps(70_000, 200_000), TestLeg.Seed(1));
        for (int length = 0; length < 1_100; length++)
            AssertSame(bytes.AsSpan(length % 8, length));
        foreach (int length in new[] { 4_095, 8_192, 24_583, 65_535, 65_536, 65_537, 65_559, 69_990 })
            AssertSame(bytes.AsSpan(3, length));
        Assert.Equal(0xE3069283, Checksum.Of("123456789"u8));

        void AssertSame(ReadOnlySpan<byte> part)
        {
            uint other = Crc32.HashToUInt32(ByTable, part);
            Assert.Equal(Crc32.HashToUInt32(Crc32ParameterSet.Crc32C, part), other);
            Assert.True(other == Checksum.Of(part), $"{part.Length} bytes");
            int cut = part.Length / 3;
            Assert.True(other == ~Crc32C.Add(Crc32C.Add(Crc32C.Seed, part[..cut]), part[cut..]), $"{part.Length} bytes in two parts");
        }
    }

    [Fact]
    public void Without_products_of_the_processor_it_is_the_same()
    {
        byte[] bytes = Noise.Of(1_100, TestLeg.Seed(2));
        for (int length = 0; length <= bytes.Length; length++)
            Assert.Equal(Checksum.Of(bytes.AsSpan(0, length)), ~Crc32C.AddByWords(Crc32C.Seed, ref bytes[0], length));
    }

    [Theory]
    [InlineData(600)]
    [InlineData(4_099)]
    [InlineData(65_536)]
    public void A_block_has_the_checksum_of_header_and_payload(int payloadBytes)
    {
        byte[] all = Noise.Of(8 + payloadBytes, payloadBytes);
        BinaryPrimitives.WriteUInt64LittleEndian(all, Header);
        fixed (byte* payload = &all[8])
            Assert.Equal(Crc32.HashToUInt32(ByTable, all), ~Checksum.OfBlock(Header, payload, payloadBytes));
    }

    /// <summary>
    /// The sum is linear: what a flipped bit changes in it does not depend on the rest. So no two flipped bits go unseen where no two
    /// single ones change the same; and none goes for the former sum of the block where the two differ by something else than all ones.
    /// </summary>
    [Fact]
    public void Every_error_of_two_bits_changes_it()
    {
        foreach (int payloadBytes in TestLeg.IsLong ? new[] { 600, 4_099, 65_536 } : [600, 4_099])
        {
            var syndromes = new HashSet<uint>();
            byte[] bytes = new byte[8 + payloadBytes];
            uint clean = Checksum.Of(bytes);
            for (int bit = 0; bit < bytes.Length * 8; bit++)
            {
                bytes[bit / 8] = (byte)(1 << (bit % 8));
                uint syndrome = Checksum.Of(bytes) ^ clean;
                Assert.True(syndrome != 0 && syndromes.Add(syndrome), $"bit {bit} of {payloadBytes} bytes");
                Assert.False(payloadBytes == 600 && syndromes.Contains(~syndrome), $"bit {bit} and another one change all");
                bytes[bit / 8] = 0;
            }
            output.WriteLine(
                $"{payloadBytes:N0} bytes: {syndromes.Count:N0} syndromes, errors of two bits "
                + $"{(long)syndromes.Count * (syndromes.Count - 1) / 2:N0}, missed 0");
        }
    }

    [Fact]
    public void Every_swap_of_two_words_changes_it()
    {
        byte[] bytes = Noise.Of(600, TestLeg.Seed(2));
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes.AsSpan());
        uint clean = Checksum.Of(bytes);
        int swaps = 0;
        for (int i = 0; i < words.Length; i++)
        {
            for (int j = 0; j < i; j++)
            {
                (words[i], words[j]) = (words[j], words[i]);
                Assert.True(Checksum.Of(bytes) != clean, $"words {j} and {i}");
                (words[i], words[j]) = (words[j], words[i]);
                swaps++;
            }
        }
        output.WriteLine($"swaps {swaps:N0}, missed 0");
    }

    [Fact]
    public void Random_errors_change_it()
    {
        int seed = TestLeg.Seed(3);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        byte[] bytes = Noise.Of(600, seed);
        uint clean = Checksum.Of(bytes);
        byte[] original = [.. bytes];
        int errors = TestLeg.Steps(100_000, 1_000_000);
        for (int i = 0; i < errors; i++)
        {
            Damage(bytes, random);
            bool isSame = bytes.AsSpan().SequenceEqual(original);
            Assert.True(isSame || Checksum.Of(bytes) != clean, $"error {i}");
            original.CopyTo(bytes, 0);
        }
        output.WriteLine($"errors {errors:N0}, missed 0");
    }

    // Some flipped bits; the same bit in words that are near; a run of bytes that is zero, or of another place.
    private static void Damage(byte[] bytes, Random random)
    {
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes.AsSpan());
        int at = random.Next(bytes.Length);
        switch (random.Next(4))
        {
            case 0:
                for (int flips = random.Next(2, 9); flips > 0; flips--)
                    bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
                break;
            case 1:
                ulong bit = 1UL << random.Next(64);
                words[at / 8] ^= bit;
                words[Math.Min(at / 8 + random.Next(1, 9), words.Length - 1)] ^= bit;
                break;
            case 2:
                bytes.AsSpan(at, Math.Min(random.Next(2, 513), bytes.Length - at)).Clear();
                break;
            default:
                int length = random.Next(2, 65);
                bytes.AsSpan(random.Next(bytes.Length - length), length).ToArray().CopyTo(bytes, random.Next(bytes.Length - length));
                break;
        }
    }
}
