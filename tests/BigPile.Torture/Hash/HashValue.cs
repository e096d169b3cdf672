using System;
using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Hash;

/// <summary>The keys and values of the run: a value follows from its key's number and its version, and says both itself.</summary>
/// <remarks>
/// A counter's value is the revision that it began with and how often it was counted. Any other is a value of <see cref="ValueBytes"/>, and
/// pieces that were appended to it.
/// </remarks>
internal static class HashValue
{
    /// <summary>Counters that all threads count; each keeps its part of the sum in its own record.</summary>
    internal const int SharedCounters = 4;

    internal const int ChunkBytes = 12;

    private const int CountBits = 24;
    private const int CounterEvery = 16;
    private const byte SharedMark = (byte)'s';

    internal static bool IsShared(int id) => id % Journal.ObjectsPerThread < SharedCounters;

    internal static bool IsCounter(int id) => IsShared(id) || id % CounterEvery == CounterEvery - 1;

    /// <summary>The key of a number; a shared counter's for each thread's number of it.</summary>
    internal static byte[] KeyOf(int id)
    {
        if (IsShared(id))
            return [SharedMark, (byte)(id % Journal.ObjectsPerThread)];
        var key = new byte[(id % 7) switch { 0 => 4, 1 => 40, 2 => 7, 3 => 200, _ => 8 }];
        BinaryPrimitives.WriteInt32LittleEndian(key, id);
        return key;
    }

    /// <summary>The number of a key; of a shared counter that of the first thread's; -1: nobody sets such a key.</summary>
    internal static int IdOf(ReadOnlySpan<byte> key, int ids)
    {
        if (key is [SharedMark, < SharedCounters])
            return key[1];
        if (key.Length < sizeof(int))
            return -1;
        int id = BinaryPrimitives.ReadInt32LittleEndian(key);
        return id >= 0 && id < ids && !IsShared(id) && key.SequenceEqual(KeyOf(id)) ? id : -1;
    }

    internal static byte[] Build(int id, in ObjectVersion version)
    {
        if (IsCounter(id))
            return BitConverter.GetBytes(CountOf(version));
        byte[] value = ValueBytes.Build(id, version.Revision, 0, version.LengthBytes);
        if (version.Next == 0)
            return value;
        var all = new byte[value.Length + (int)version.Next * ChunkBytes];
        value.CopyTo(all, 0);
        for (uint chunk = 0; chunk < version.Next; chunk++)
            ChunkOf(version.Revision, chunk).CopyTo(all, value.Length + (int)chunk * ChunkBytes);
        return all;
    }

    internal static long CountOf(in ObjectVersion version) => ((long)version.Revision << CountBits) + (long)version.Next;

    internal static byte[] ChunkOf(uint revision, ulong chunk) =>
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"|{revision & 0xFFFFFF:x6}{chunk & 0xFFFFF:x5}"));

    /// <summary>Reads from a value what it is.</summary>
    /// <returns>Whether it is exactly what was once made; one that is too short to say so may be.</returns>
    internal static bool TryParse(int id, byte[] value, out ObjectVersion version)
    {
        version = default;
        if (IsCounter(id))
        {
            long count = value.Length == sizeof(long) ? BitConverter.ToInt64(value) : 0;
            version.Revision = (uint)(count >> CountBits);
            version.Next = (ulong)count & ((1 << CountBits) - 1);
            return version.Revision != 0;
        }
        if (value.Length < ValueBytes.HeadBytes)
            return false;
        string stated = Encoding.ASCII.GetString(value, 16, 8);
        if (!int.TryParse(stated, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out int length))
            return false;
        if (length < ValueBytes.HeadBytes || length > value.Length || (value.Length - length) % ChunkBytes != 0)
            return false;
        bool isWhole = ValueBytes.TryParse(value.AsSpan(0, length), out int found, out version) && found == id;
        version.Next = (ulong)(value.Length - length) / ChunkBytes;
        return isWhole && value.AsSpan().SequenceEqual(Build(id, version));
    }

    internal static string Describe(int id, byte[]? value)
    {
        if (value == null)
            return "nothing";
        return IsCounter(id) ? $"counter {Convert.ToHexString(value)}" : ValueBytes.Describe(value);
    }
}
