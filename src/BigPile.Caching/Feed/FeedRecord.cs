using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Caching.Feed;

/// <summary>A record of the feed, in a chunk or in a copy of it.</summary>
/// <remarks>
/// <code>
/// word 0   bits 39..0 the version, as the distance from the chunk's first; 52..40 length of the key; 55..53 the kind;
///          62..56 number of words that follow; bit 63: a value is at the end
/// words    of a put: when it expires, in ticks of cache time, then the hashes of its tags; none for a plain entry
///          of an entry that is gone: its version, its value's length, when it would have expired
///          of a tag: its hashes
/// key      up to a whole word
/// value    a word: bits 31..0 its length, 34..32 its kind; then its bytes, up to a whole word
/// </code>
/// </remarks>
internal readonly unsafe struct FeedRecord(byte* start)
{
    internal const int DistanceBits = 40;

    private const ulong DistanceMask = (1UL << DistanceBits) - 1;
    private const int KeyShift = DistanceBits;
    private const int KeyBits = 13;
    private const int KindShift = KeyShift + KeyBits;
    private const int WordsShift = KindShift + 3;
    private const ulong ValueBit = 1UL << 63;
    private const int MostTags = 64;
    private const ulong MostTicks = 3_155_378_975_999_999_999; // of DateTime

    private readonly ulong _word = *(ulong*)start;

    internal ulong Distance => _word & DistanceMask;

    internal ChangeKind Kind => (ChangeKind)((_word >> KindShift) & 7);

    /// <summary>A record whose change was not made.</summary>
    internal bool IsVoid => Kind == ChangeKind.None;

    internal ReadOnlySpan<byte> Key => new(start + sizeof(ulong) * (1 + WordCount), KeyBytes);

    internal Span<ulong> Words => new(start + sizeof(ulong), WordCount);

    internal bool HasValue => (_word & ValueBit) != 0;

    /// <summary>The value's kind; only where it has one.</summary>
    internal byte ValueKind => (byte)(ValueWord >> 32);

    internal ReadOnlySpan<byte> Value => new(start + HeadBytes + sizeof(ulong), (int)(uint)ValueWord);

    private int KeyBytes => (int)(_word >> KeyShift) & ((1 << KeyBits) - 1);

    private int WordCount => (int)(_word >> WordsShift) & 0x7F;

    private int HeadBytes => sizeof(ulong) * (1 + WordCount) + Rounded(KeyBytes);

    private ulong ValueWord => *(ulong*)(start + HeadBytes);

    /// <summary>Whether its words are those of its kind. Its bytes are known to be a record's.</summary>
    internal bool IsSound => Kind switch
    {
        ChangeKind.Added or ChangeKind.Replaced => WordCount <= 1 + MostTags && (WordCount == 0 || IsInstant(Words[0])),
        ChangeKind.TagRemoved => WordCount != 0 && KeyBytes == 0 && !HasValue,
        ChangeKind.Cleared => WordCount == 0 && KeyBytes == 0 && !HasValue,
        ChangeKind.None => true,
        _ => WordCount == 3 && !HasValue && Words[1] <= int.MaxValue && IsInstant(Words[2]),
    };

    /// <summary>The bytes of the record that begins here; more than are left where the bytes are none of a record.</summary>
    /// <param name="left">The bytes that may be read from its start.</param>
    internal int BytesWithin(int left)
    {
        int bytes = HeadBytes;
        if (!HasValue || bytes + sizeof(ulong) > left)
            return HasValue ? int.MaxValue : bytes;
        ulong length = (uint)ValueWord;
        return length > (ulong)left ? int.MaxValue : bytes + sizeof(ulong) + Rounded((int)length);
    }

    /// <summary>The bytes of a record.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int BytesFor(int words, int keyBytes) => sizeof(ulong) * (1 + words) + Rounded(keyBytes);

    /// <summary>The bytes that a value adds to a record.</summary>
    internal static int BytesForValue(int valueBytes) => sizeof(ulong) + Rounded(valueBytes);

    /// <summary>Writes a record without its words.</summary>
    /// <returns>Where the words go.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong* Write(byte* at, ulong distance, ChangeKind kind, int words, ReadOnlySpan<byte> key, bool hasValue)
    {
        Debug.Assert(distance <= DistanceMask && words < 128 && key.Length < 1 << KeyBits, "Each field has its bits.");
        *(ulong*)at = distance | (ulong)key.Length << KeyShift | (ulong)kind << KindShift | (ulong)words << WordsShift
            | (hasValue ? ValueBit : 0);
        var to = (ulong*)at + 1;
        byte* keyAt = (byte*)(to + words);
        if (key.Length != 0)
        {
            *(ulong*)(keyAt + Rounded(key.Length) - sizeof(ulong)) = 0; // what rounds the length up
            key.CopyTo(new Span<byte>(keyAt, key.Length));
        }
        return to;
    }

    /// <summary>Writes a record without a value. Its key has at least seven bytes before it that can be read.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void WritePlain(byte* at, ulong distance, ChangeKind kind, byte* key, int keyBytes, scoped ReadOnlySpan<ulong> words)
    {
        Debug.Assert(distance <= DistanceMask && keyBytes < 1 << KeyBits, "Each field has its bits.");
        *(ulong*)at = distance | (ulong)keyBytes << KeyShift | (ulong)kind << KindShift | (ulong)words.Length << WordsShift;
        foreach (ulong word in words)
            *(ulong*)(at += sizeof(ulong)) = word;
        // By words: a call that copies any length takes longer than all else here.
        int left = keyBytes;
        for (; left >= sizeof(ulong); left -= sizeof(ulong))
            *(ulong*)(at += sizeof(ulong)) = *(ulong*)(key + keyBytes - left);
        if (left != 0) // the last bytes with those before them, which are shifted out: zeros round the length up
            *(ulong*)(at + sizeof(ulong)) = *(ulong*)(key + keyBytes - sizeof(ulong)) >> (8 * (sizeof(ulong) - left));
    }

    /// <summary>Writes the value of a record, behind its key.</summary>
    internal static void WriteValue(byte* at, ReadOnlySpan<byte> value, byte kind)
    {
        *(ulong*)at = (uint)value.Length | (ulong)kind << 32;
        value.CopyTo(new Span<byte>(at + sizeof(ulong), value.Length));
    }

    /// <summary>Makes a record one whose change was not made.</summary>
    internal static void Void(byte* at) => *(ulong*)at &= ~(7UL << KindShift);

    private static bool IsInstant(ulong ticks) => ticks is <= MostTicks or long.MaxValue;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Rounded(int bytes) => (bytes + 7) & ~7;
}
