using System;
using System.Globalization;
using System.Text.Json;
using BigPile.Caching;

namespace BigPile.Http.Bulk;

/// <summary>The tag hashes in a line of an export: an array of 16 hexadecimal digits each.</summary>
/// <remarks>Thread safety: none; an instance is reused.</remarks>
internal sealed class TagHashList
{
    private const int DigitCount = 2 * sizeof(ulong);

    private readonly ulong[] _hashes = new ulong[EntryOptions.MaxTags];
    private int _count;

    internal ReadOnlyMemory<ulong> Hashes => _hashes.AsMemory(0, _count);

    /// <summary>Writes the member, if there are tags.</summary>
    internal static void Write(Utf8JsonWriter json, ReadOnlySpan<ulong> hashes)
    {
        if (hashes.IsEmpty)
            return;
        Span<byte> digits = stackalloc byte[DigitCount];
        json.WriteStartArray("tagHashes"u8);
        foreach (ulong hash in hashes)
        {
            _ = hash.TryFormat(digits, out _, "x16", CultureInfo.InvariantCulture);
            json.WriteStringValue(digits);
        }
        json.WriteEndArray();
    }

    internal void Clear() => _count = 0;

    /// <summary>Parses the value of the member; the reader must be at its name, and ends at the end of its value.</summary>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    internal string? Read(ref Utf8JsonReader json)
    {
        Clear();
        _ = json.Read();
        if (json.TokenType != JsonTokenType.StartArray)
        {
            json.Skip();
            return "its member 'tagHashes' is no array";
        }
        int count = 0;
        bool isGood = true;
        for (; json.Read() && json.TokenType != JsonTokenType.EndArray; count++)
        {
            isGood &= TryParse(ref json, out ulong hash);
            if (count < _hashes.Length)
                _hashes[count] = hash;
            json.Skip();
        }
        _count = Math.Min(count, _hashes.Length);
        return !isGood ? $"its tagHashes are not all texts of {DigitCount} hexadecimal digits"
            : count > _hashes.Length ? $"it has {count:N0} tagHashes; an entry has at most {_hashes.Length}"
            : null;
    }

    private static bool TryParse(ref Utf8JsonReader json, out ulong hash)
    {
        hash = 0;
        return json.TokenType == JsonTokenType.String && json.ValueSpan.Length == DigitCount
            && ulong.TryParse(json.ValueSpan, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out hash);
    }
}
