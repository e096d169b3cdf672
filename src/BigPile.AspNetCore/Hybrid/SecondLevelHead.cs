using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Text;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>The header of a value in the second level.</summary>
/// <remarks>
/// Layout: magic "BPH1" (4), kind (1), creation and expiry in UTC ticks (8 each), length of the key (4) and its UTF-8, number of tags (1),
/// and for each tag its length (4) and UTF-8. Integers are little-endian.
/// </remarks>
/// <param name="Kind">The kind of the value.</param>
/// <param name="MadeAt">When its factory began, in UTC ticks; a later removal invalidates it.</param>
/// <param name="ExpiresAt">When it expires, in UTC ticks.</param>
/// <param name="Tags">Its tags.</param>
internal sealed record SecondLevelHead(ValueKind Kind, long MadeAt, long ExpiresAt, string[] Tags)
{
    private const int FixedBytes = sizeof(uint) + 1 + 2 * sizeof(long);

    private static ReadOnlySpan<byte> Mark => "BPH1"u8;

    internal void Write(string key, PileBuffer target)
    {
        Span<byte> buffer = target.GetSpan(FixedBytes);
        Mark.CopyTo(buffer);
        buffer[4] = (byte)Kind;
        BinaryPrimitives.WriteInt64LittleEndian(buffer[5..], MadeAt);
        BinaryPrimitives.WriteInt64LittleEndian(buffer[13..], ExpiresAt);
        target.Advance(FixedBytes);
        WriteText(key, target);
        target.Write([(byte)Tags.Length]);
        foreach (string tag in Tags)
            WriteText(tag, target);
    }

    /// <summary>Reads the header of a key's payload.</summary>
    /// <param name="key">The key.</param>
    /// <param name="payload">The payload; on success advanced past the header.</param>
    /// <returns><see langword="null"/> if the bytes are no such payload, or belong to another key.</returns>
    internal static SecondLevelHead? TryRead(string key, ref ReadOnlySpan<byte> payload)
    {
        ReadOnlySpan<byte> rest = payload;
        if (rest.Length < FixedBytes || !rest.StartsWith(Mark) || !IsValue((ValueKind)rest[4]))
            return null;
        var kind = (ValueKind)rest[4];
        long madeAt = BinaryPrimitives.ReadInt64LittleEndian(rest[5..]);
        long expiresAt = BinaryPrimitives.ReadInt64LittleEndian(rest[13..]);
        rest = rest[FixedBytes..];
        if (!TryReadText(ref rest, out string? foundKey) || foundKey != key || rest.IsEmpty)
            return null;
        int count = rest[0];
        if (count > EntryOptions.MaxTags)
            return null;
        rest = rest[1..];
        var tags = new List<string>(count);
        while (tags.Count < count && TryReadText(ref rest, out string? tag) && tag != "")
            tags.Add(tag!);
        if (tags.Count < count)
            return null;
        payload = rest;
        return new SecondLevelHead(kind, madeAt, expiresAt, [.. tags]);
    }

    private static bool IsValue(ValueKind kind) =>
        kind is ValueKind.Null or ValueKind.Bytes or ValueKind.String or ValueKind.Utf16String or ValueKind.Object;

    private static void WriteText(string text, PileBuffer target)
    {
        int maxBytes = sizeof(int) + Encoding.UTF8.GetMaxByteCount(text.Length);
        Span<byte> buffer = target.GetSpan(maxBytes);
        int lengthBytes = Encoding.UTF8.GetBytes(text, buffer[sizeof(int)..]);
        BinaryPrimitives.WriteInt32LittleEndian(buffer, lengthBytes);
        target.Advance(sizeof(int) + lengthBytes);
    }

    private static bool TryReadText(ref ReadOnlySpan<byte> source, out string? text)
    {
        text = null;
        if (source.Length < sizeof(int))
            return false;
        int lengthBytes = BinaryPrimitives.ReadInt32LittleEndian(source);
        if (lengthBytes < 0 || lengthBytes > source.Length - sizeof(int))
            return false;
        text = Encoding.UTF8.GetString(source.Slice(sizeof(int), lengthBytes));
        source = source[(sizeof(int) + lengthBytes)..];
        return true;
    }
}

/// <summary>What an encoded value is. The numbers are stored in a second level: append only.</summary>
internal enum ValueKind : byte
{
    Null = 0,
    String = PayloadKind.String,
    Bytes = PayloadKind.Bytes,
    Object = PayloadKind.Object,

    /// <summary>Text with lone surrogates, which UTF-8 can't represent.</summary>
    Utf16String = 7,
}
