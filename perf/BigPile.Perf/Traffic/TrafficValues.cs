using System;
using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace BigPile.Perf.Traffic;

/// <summary>The payloads: each follows from the client, the key and the number of the value, so none needs to be kept.</summary>
internal sealed class TrafficValues
{
    internal const int MaxBytes = 100_000;

    private const int HeadBytes = 12;
    private const int UsualBytes = 1_500;
    private const int LargeBytes = 40_000; // larger than what is sent from one buffer
    private const int NoiseBytes = 1 << 18;

    private readonly byte[] _noise = new byte[NoiseBytes];

    internal TrafficValues(int seed) => new Random(seed).NextBytes(_noise);

    internal static int LengthOf(int client, int key, uint sequence)
    {
        ulong hash = HashOf(client, key, sequence);
        int share = (int)(hash >> 40 & 0xFFF);
        return (hash & 1023) == 0
            ? LargeBytes + share * (MaxBytes - LargeBytes) / 0x1000
            : HeadBytes + share * (UsualBytes - HeadBytes) / 0x1000;
    }

    /// <summary>Writes a payload.</summary>
    /// <returns>Its length.</returns>
    internal int Write(Span<byte> destination, int client, int key, uint sequence)
    {
        int lengthBytes = LengthOf(client, key, sequence);
        WriteHead(destination, client, key, sequence);
        Noise(client, key, sequence, lengthBytes - HeadBytes).CopyTo(destination[HeadBytes..]);
        return lengthBytes;
    }

    internal bool IsIntact(ReadOnlySpan<byte> payload, int client, int key, uint sequence)
    {
        if (payload.Length != LengthOf(client, key, sequence))
            return false;
        Span<byte> head = stackalloc byte[HeadBytes];
        WriteHead(head, client, key, sequence);
        return payload.StartsWith(head) && payload[HeadBytes..].SequenceEqual(Noise(client, key, sequence, payload.Length - HeadBytes));
    }

    private static void WriteHead(Span<byte> destination, int client, int key, uint sequence)
    {
        BinaryPrimitives.WriteInt32LittleEndian(destination, client);
        BinaryPrimitives.WriteInt32LittleEndian(destination[4..], key);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[8..], sequence);
    }

    private ReadOnlySpan<byte> Noise(int client, int key, uint sequence, int lengthBytes) =>
        _noise.AsSpan((int)(HashOf(client, key, sequence) >> 10 & 0xFFFF), lengthBytes);

    // The mixing function of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators").
    private static ulong HashOf(int client, int key, uint sequence)
    {
        ulong z = ((ulong)(uint)key << 32 | sequence) + (ulong)(client + 1) * 0x9E3779B97F4A7C15;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
}

/// <summary>The keys of a client; some have what must be percent-encoded in a path.</summary>
internal static class TrafficKeys
{
    internal const int MaxBytes = 64;

    /// <summary>Writes a key in UTF-8.</summary>
    /// <returns>Its length.</returns>
    internal static int Write(Span<byte> destination, int client, int key) =>
        Encoding.UTF8.GetBytes(TextOf(client, key, ' ', "é/🎹"), destination);

    /// <summary>Writes a key as it stands in a path.</summary>
    /// <returns>Its length.</returns>
    internal static int WritePath(Span<byte> destination, int client, int key) =>
        Encoding.UTF8.GetBytes(
            TextOf(client, key, '+', "%C3%A9%2F%F0%9F%8E%B9").Replace("+", "%20", StringComparison.Ordinal), destination);

    private static string TextOf(int client, int key, char space, string strange) => key % 64 == 0
        ? string.Create(CultureInfo.InvariantCulture, $"c{client}{space}{strange}{key}")
        : string.Create(CultureInfo.InvariantCulture, $"c{client}-{key}");
}
