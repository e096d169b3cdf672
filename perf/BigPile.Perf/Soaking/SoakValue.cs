using System;
using System.Buffers.Binary;
using System.Numerics;

namespace BigPile.Perf.Soaking;

/// <summary>Bytes that tell whose value they are, which version of it, and whether they are all there.</summary>
/// <remarks>
/// <code>
/// the first word: id, 28 bits | version, 16 bits | check, 20 bits
/// the rest:       noise that follows from id and version
/// </code>
/// The check goes over id, version, length and all noise.
/// </remarks>
internal static class SoakValue
{
    internal const int MinBytes = sizeof(ulong);
    internal const uint MaxId = (1 << 28) - 1;

    private const int IdShift = 36;
    private const int VersionShift = 20;
    private const uint CheckMask = (1 << VersionShift) - 1;
    private const int FoldShift = 12;
    private const ulong Odd = 0x9E3779B97F4A7C15;

    /// <summary>Makes a value of all the bytes.</summary>
    internal static void Write(Span<byte> value, uint id, ushort version)
    {
        AddNoise(value[MinBytes..], id, version);
        ulong head = ((ulong)id << IdShift) | ((ulong)version << VersionShift) | CheckOf(value, id, version);
        BinaryPrimitives.WriteUInt64LittleEndian(value, head);
    }

    /// <summary>Makes a value in an array of its own.</summary>
    internal static byte[] Make(int lengthBytes, uint id, ushort version)
    {
        var value = new byte[lengthBytes];
        Write(value, id, version);
        return value;
    }

    /// <summary>Reads what bytes say of themselves.</summary>
    /// <returns>Whether they are exactly what was once made.</returns>
    internal static bool TryParse(ReadOnlySpan<byte> value, out uint id, out ushort version)
    {
        (id, version) = (0, 0);
        if (value.Length < MinBytes)
            return false;
        ulong head = BinaryPrimitives.ReadUInt64LittleEndian(value);
        id = (uint)(head >> IdShift);
        version = (ushort)(head >> VersionShift);
        return ((uint)head & CheckMask) == CheckOf(value, id, version);
    }

    /// <summary>Says what is wrong with bytes that should be a value of an id.</summary>
    /// <returns><see langword="null"/> when they are a whole one.</returns>
    internal static string? WhyNot(ReadOnlySpan<byte> value, uint id, out ushort version)
    {
        if (!TryParse(value, out uint found, out version))
            return $"{value.Length:N0} bytes are not as they were written: their check does not match";
        return found == id ? null : $"the value of {SoakId.NameOf(found)} is in its place";
    }

    /// <summary>Says what is wrong with bytes that should be one version of a value.</summary>
    /// <returns><see langword="null"/> when they are it.</returns>
    internal static string? WhyNot(ReadOnlySpan<byte> value, uint id, ushort version, int lengthBytes)
    {
        if (WhyNot(value, id, out ushort found) is { } why)
            return why;
        if (found != version)
            return $"version {found} is in the place of version {version}";
        return value.Length == lengthBytes ? null : $"{value.Length:N0} bytes are in the place of {lengthBytes:N0}";
    }

    private static void AddNoise(Span<byte> noise, uint id, ushort version)
    {
        ulong state = (((ulong)id << VersionShift) + version + 1) * Odd;
        while (noise.Length >= sizeof(ulong))
        {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            BinaryPrimitives.WriteUInt64LittleEndian(noise, state);
            noise = noise[sizeof(ulong)..];
        }
        for (int i = 0; i < noise.Length; i++)
            noise[i] = (byte)(state >> i);
    }

    private static uint CheckOf(ReadOnlySpan<byte> value, uint id, ushort version)
    {
        uint sum = BitOperations.Crc32C(uint.MaxValue, ((ulong)id << IdShift) | version);
        sum = BitOperations.Crc32C(sum, (ulong)value.Length);
        ReadOnlySpan<byte> noise = value[MinBytes..];
        while (noise.Length >= sizeof(ulong))
        {
            sum = BitOperations.Crc32C(sum, BinaryPrimitives.ReadUInt64LittleEndian(noise));
            noise = noise[sizeof(ulong)..];
        }
        foreach (byte last in noise)
            sum = BitOperations.Crc32C(sum, last);
        return (sum ^ (sum >> FoldShift)) & CheckMask;
    }
}

/// <summary>The ids of values (region, worker and number), which identify a value that turns up in the wrong place.</summary>
internal static class SoakId
{
    internal const int MaxNumber = (1 << NumberBits) - 1;

    private const int NumberBits = 19;
    private const int WorkerBits = 6;

    internal static uint Of(SoakRegion region, int worker, int number) =>
        ((uint)region << (NumberBits + WorkerBits)) | ((uint)worker << NumberBits) | (uint)number;

    internal static string NameOf(uint id)
    {
        var region = (SoakRegion)(id >> (NumberBits + WorkerBits));
        uint worker = (id >> NumberBits) & ((1 << WorkerBits) - 1);
        return $"{region} {worker}/{id & MaxNumber}";
    }
}

/// <summary>Where a value belongs.</summary>
internal enum SoakRegion
{
    Own, // to one worker, in the pile
    Shared, // to all workers, in the pile
    Kept, // to one worker, in the durable table
    Limited, // to all workers, in the table with expiry
    Tagged, // to one worker, in the table with tags and priorities
    Passing, // to one worker, in a table that is dropped again
}

/// <summary>Sizes of values: nine of ten have at most 128 bytes, one in a thousand up to a megabyte.</summary>
internal static class SoakSizes
{
    internal const int MaxBytes = 1_000_000;

    /// <summary>What a value has on the average, about.</summary>
    internal const int MeanBytes = 700;

    /// <summary>What a value of a table has on the average, about.</summary>
    internal const int MeanTableBytes = 160;

    private const int SmallBytes = 128;
    private const int MediumBytes = 4096;
    private const int LargeBytes = 65_536;

    /// <summary>Draws a size of a worker's own value.</summary>
    internal static int Next(Random dice) => dice.Next(1000) switch
    {
        0 => Between(dice, LargeBytes, MaxBytes),
        < 10 => Between(dice, MediumBytes, LargeBytes),
        < 100 => Between(dice, SmallBytes, MediumBytes),
        _ => Between(dice, SoakValue.MinBytes, SmallBytes),
    };

    /// <summary>Draws a size of a table's value: of at most some kilobytes, so that there are many.</summary>
    internal static int NextOfTable(Random dice) =>
        dice.Next(10) == 0 ? Between(dice, SmallBytes, MediumBytes) : Between(dice, SoakValue.MinBytes, SmallBytes);

    // Sizes are spread evenly over powers of two.
    private static int Between(Random dice, int min, int max) => (int)(min * Math.Pow((double)max / min, dice.NextDouble()));
}
