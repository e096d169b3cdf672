using System;
using System.Buffers.Binary;

namespace BigPile.Tests.Durability;

/// <summary>Bytes that tell whose they are, which version, and whether they are whole.</summary>
internal static class CheckedValue
{
    private const int HeadBytes = 12;

    internal static byte[] Make(int id, int version, int lengthBytes)
    {
        var value = new byte[HeadBytes + lengthBytes];
        BinaryPrimitives.WriteInt32LittleEndian(value, id);
        BinaryPrimitives.WriteInt32LittleEndian(value.AsSpan(4), version);
        BinaryPrimitives.WriteInt32LittleEndian(value.AsSpan(8), lengthBytes);
        Noise.Fill(value.AsSpan(HeadBytes), id * 7919 + version);
        return value;
    }

    /// <summary>The version of a value, once it is known to be whole and of that object.</summary>
    internal static int VersionOf(byte[] value, int id)
    {
        int version = BinaryPrimitives.ReadInt32LittleEndian(value.AsSpan(4));
        Assert.True(value.AsSpan().SequenceEqual(
            Make(id, version, value.Length - HeadBytes)), $"the value of object {id} is torn or another one's");
        return version;
    }

    /// <summary>The object that a value is of.</summary>
    internal static int IdOf(byte[] value) => BinaryPrimitives.ReadInt32LittleEndian(value);
}
