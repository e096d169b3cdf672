using System;
using System.Buffers.Binary;

namespace BigPile.Hash.Tests;

/// <summary>Values that say whose they are and which, and whether they are whole, whatever the database checks.</summary>
internal static class VersionedValue
{
    private const int HeadBytes = 12;

    internal static byte[] Make(int key, long version)
    {
        ulong most = (Mix(key, version) % 40) switch { < 20 => 30, < 36 => 300, < 39 => 3_000, _ => 60_000 };
        var value = new byte[HeadBytes + (int)(Mix(version, key) % most)];
        BinaryPrimitives.WriteInt32LittleEndian(value, key);
        BinaryPrimitives.WriteInt64LittleEndian(value.AsSpan(4), version);
        Fill(value.AsSpan(HeadBytes), key, version);
        return value;
    }

    /// <summary>Fails when bytes are no whole value of a key; gives its version.</summary>
    internal static long Check(ReadOnlySpan<byte> value, int key)
    {
        Assert.True(value.Length >= HeadBytes, $"key {key} has {value.Length} bytes");
        long version = BinaryPrimitives.ReadInt64LittleEndian(value[4..]);
        int found = BinaryPrimitives.ReadInt32LittleEndian(value);
        Assert.True(found == key, $"key {key} has a value of key {found}, version {version}");
        Assert.True(value.SequenceEqual(Make(key, version)), $"key {key} has a mixture, that says version {version}, {value.Length} bytes");
        return version;
    }

    private static ulong Mix(long one, long other)
    {
        ulong mixed = ((ulong)one * 0x9E3779B97F4A7C15) ^ ((ulong)other * 0xC2B2AE3D27D4EB4F);
        mixed ^= mixed >> 29;
        mixed *= 0xBF58476D1CE4E5B9;
        return mixed ^ (mixed >> 32);
    }

    private static void Fill(Span<byte> bytes, int key, long version)
    {
        for (int i = 0; i < bytes.Length; i++)
            bytes[i] = (byte)(version * 31 + key * 17 + i);
    }
}
