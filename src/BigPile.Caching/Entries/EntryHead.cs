using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Caching.Entries;

/// <summary>
/// The head of a table entry: the first bytes of its payload, in format 2. The key's bytes follow, then the value's.
/// </summary>
/// <remarks>
/// <code>
/// bytes 0..7    version, higher than that of every entry put before in any table of the pile; bit 63: an extension follows
/// bytes 8..11   bits 15..0 the table's id in the catalog; 28..16 length of the key; 31..29 kind of the value
/// extension:
/// byte  12      bit 0 expiry, bit 1 sliding, bit 2 tags, bit 3 fail-safe
/// byte  13      priority
/// bytes 14..15  number of tags
/// expiry:       the instant of expiry (8), in ticks of UTC
/// sliding:      the sliding time (8), in ticks; the latest instant to slide to (8), in ticks of UTC
/// fail-safe:    how long it stays behind its expiry (8), in ticks; only with an expiry
/// tags:         hash of each (8)
/// </code>
/// Little-endian. The entries hold all that a rebuild after a kill needs; of two entries with one key the higher version is valid.
/// Bits 62..20 of a version are the millisecond of the put, so an entry stores no time of its own.
/// Once the block is published, only the expiry of a sliding entry changes in place, and only in a pile that is not mapped.
/// </remarks>
internal readonly unsafe struct EntryHead
{
    /// <summary>The number of this format, as stored in a table's definition.</summary>
    internal const byte Format = 2;

    internal const int MaxTableId = ushort.MaxValue;
    internal const int MaxTags = 64;

    /// <summary>The bytes of a head without an extension.</summary>
    internal const int ShortBytes = 12;

    /// <summary>The bytes of the largest head.</summary>
    internal const int MaxBytes = FixedBytes + 4 * sizeof(long) + MaxTags * sizeof(ulong);

    internal const ulong ExtensionBit = Versions.Max + 1;
    internal const int WordOffset = 8;
    internal const int KeyShift = 16;
    internal const int KeyMask = (1 << 13) - 1;
    internal const int KindShift = 29;
    internal const uint KeyAndTableMask = (1u << KindShift) - 1;

    private const uint MaxKind = uint.MaxValue >> KindShift;
    private const int FixedBytes = 16;
    private const byte ExpiryFlag = 1;
    private const byte SlidingFlag = 2;
    private const byte TagsFlag = 4;
    private const byte FailSafeFlag = 8;

    private readonly byte* _start; // the payload
    private readonly ulong _version; // with the extension bit
    private readonly uint _word; // table id, key length, kind of value
    private readonly uint _extension; // bytes 12..15; 0 without an extension

    /// <summary>
    /// Reads the head of a payload that has at least <see cref="ShortBytes"/>. The bytes may be changing: the caller validates them.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal EntryHead(byte* payload)
    {
        _start = payload;
        _version = *(ulong*)payload;
        _word = *(uint*)(payload + WordOffset);
        if ((_version & ExtensionBit) != 0)
            _extension = *(uint*)(payload + ShortBytes);
    }

    /// <summary>The head of a block; all zero where the block is too short for an entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static EntryHead Of(in BlockSnapshot view) => view.PayloadBytes >= ShortBytes ? new EntryHead(view.Payload) : default;

    internal nint Payload => (nint)_start;

    internal ulong Version => _version & ~ExtensionBit;

    internal int TableId => (ushort)_word;

    internal int KeyBytes => (int)(_word >> KeyShift) & KeyMask;

    internal ValueKind Kind => (ValueKind)(_word >> KindShift);

    internal bool HasExpiry => ((byte)_extension & ExpiryFlag) != 0;

    internal bool IsSliding => ((byte)_extension & SlidingFlag) != 0;

    internal bool HasTags => ((byte)_extension & TagsFlag) != 0;

    /// <summary>Whether it stays for some time once it has expired.</summary>
    internal bool HasFailSafe => ((byte)_extension & FailSafeFlag) != 0;

    /// <summary>Whether the entry may be dead, by expiry or a removed tag, though its block exists.</summary>
    internal bool MayBeDead => ((byte)_extension & (ExpiryFlag | TagsFlag)) != 0;

    /// <summary>The priority. An undefined number, which an earlier version may have stored, counts as the highest.</summary>
    internal EntryPriority Priority => (_version & ExtensionBit) == 0
        ? EntryPriority.Normal
        : (EntryPriority)Math.Min((byte)(_extension >> 8), (byte)EntryPriority.NeverEvict);

    internal int TagCount => HasTags ? (int)(_extension >> 16) : 0;

    internal int SizeBytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (_version & ExtensionBit) == 0 ? ShortBytes : LongBytes;
    }

    internal int ValueOffset => SizeBytes + KeyBytes;

    internal byte* Key => _start + SizeBytes;

    /// <summary>The object of the pile that the entry owns; the invalid pointer if the value is in the entry.</summary>
    internal PilePointer Owned => Kind == ValueKind.Pointer ? PilePointer.FromUInt64(*(ulong*)(Key + KeyBytes)) : default;

    /// <summary>The instant of expiry, in ticks of UTC; the largest number: never.</summary>
    internal long ExpiresAt => HasExpiry ? *(long*)(_start + FixedBytes) : long.MaxValue;

    internal long SlidingTicks => *(long*)(_start + FixedBytes + 8);

    internal long SlidingEnd => *(long*)(_start + FixedBytes + 16);

    /// <summary>How long it stays behind its expiry, in ticks; 0: not at all.</summary>
    internal long FailSafeTicks => HasFailSafe ? *(long*)(_start + FixedBytes + FailSafeOffset) : 0;

    private int LongBytes => FixedBytes + TagsOffset + TagCount * sizeof(ulong);

    private int FailSafeOffset => (HasExpiry ? 8 : 0) + (IsSliding ? 16 : 0);

    private int TagsOffset => FailSafeOffset + (HasFailSafe ? 8 : 0);

    /// <summary>The spec that <see cref="Write"/> makes the same head of: with instants as they are stored.</summary>
    /// <param name="tagBuffer">A buffer for <see cref="MaxTags"/> hashes; the result points into it.</param>
    internal EntrySpec ToSpec(Span<ulong> tagBuffer)
    {
        for (int i = 0; i < TagCount; i++)
            tagBuffer[i] = Tag(i);
        return new EntrySpec
        {
            ExpiresAt = ExpiresAt,
            SlidingTicks = IsSliding ? SlidingTicks : 0,
            SlidingEnd = IsSliding ? SlidingEnd : ExpiresAt,
            FailSafeTicks = FailSafeTicks,
            Priority = Priority,
            Tags = tagBuffer[..TagCount],
        };
    }

    /// <summary>The bytes of the head that <see cref="Write"/> makes.</summary>
    internal static int BytesFor(in EntrySpec spec)
    {
        if (spec.IsPlain)
            return ShortBytes;
        return FixedBytes + (spec.ExpiresAt != long.MaxValue ? 8 : 0) + (spec.SlidingTicks != 0 ? 16 : 0)
            + (spec.HasFailSafe ? 8 : 0) + spec.Tags.Length * sizeof(ulong);
    }

    /// <summary>Writes a head without its version.</summary>
    internal static void Write(byte* payload, int tableId, int keyBytes, ValueKind kind, in EntrySpec spec)
    {
        if (tableId is <= 0 or > MaxTableId || (uint)keyBytes > KeyMask || (uint)kind > MaxKind || spec.Tags.Length > MaxTags)
            RefuseHead(tableId, keyBytes, kind, spec.Tags.Length);
        *(uint*)(payload + WordOffset) = (uint)tableId | ((uint)keyBytes << KeyShift) | ((uint)kind << KindShift);
        *(ulong*)payload = spec.IsPlain ? 0 : ExtensionBit;
        if (!spec.IsPlain)
            WriteExtension(payload, spec);
    }

    /// <summary>Adds the version to a head that was written.</summary>
    internal static void SetVersion(byte* payload, ulong version)
    {
        if ((version & ExtensionBit) != 0)
            RefuseVersion(version);
        Debug.Assert((*(ulong*)payload & ~ExtensionBit) == 0, "A head gets its version once.");
        *(ulong*)payload |= version;
    }

    /// <summary>
    /// Sets the expiry of an entry that has one. In a published block only under the lock of its bucket, and not in a mapped pile.
    /// </summary>
    internal static void SetExpiry(byte* payload, long ticks) =>
        System.Threading.Volatile.Write(ref *(long*)(payload + FixedBytes), ticks);

    internal ulong Tag(int index) => *(ulong*)(_start + FixedBytes + TagsOffset + index * sizeof(ulong));

    /// <summary>Whether head and key fit into a payload. The bytes may be changing, so their lengths may be anything.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool FitsIn(long payloadBytes) => ValueOffset <= payloadBytes;

    /// <summary>The kind of block that would store the value alone.</summary>
    internal static BlockKind BlockKindOf(ValueKind kind) => (BlockKind)kind;

    // A field that overflows into its neighbour would make an entry that no lookup finds. No caller does that; checked nevertheless.
    [DoesNotReturn]
    private static void RefuseHead(int tableId, int keyBytes, ValueKind kind, int tags) => throw new PileException(
        $"The head of an entry can't hold table {tableId}, a key of {keyBytes:N0} bytes, values of kind {kind} and {tags:N0} tags: "
        + $"the most are {MaxTableId:N0}, {KeyMask:N0}, {MaxKind} and {MaxTags}. Nothing was stored.");

    [DoesNotReturn]
    private static void RefuseVersion(ulong version) => throw new PileException(
        $"The head of an entry can't hold the version {version:N0}: the highest is {Versions.Max:N0}. Nothing was stored.");

    private static void WriteExtension(byte* payload, in EntrySpec spec)
    {
        bool hasExpiry = spec.ExpiresAt != long.MaxValue;
        bool isSliding = spec.SlidingTicks != 0;
        payload[12] = (byte)((hasExpiry ? ExpiryFlag : 0) | (isSliding ? SlidingFlag : 0) | (spec.Tags.Length != 0 ? TagsFlag : 0)
            | (spec.HasFailSafe ? FailSafeFlag : 0));
        payload[13] = (byte)spec.Priority;
        *(ushort*)(payload + 14) = (ushort)spec.Tags.Length;
        byte* at = payload + FixedBytes;
        if (hasExpiry)
        {
            *(long*)at = spec.ExpiresAt;
            at += 8;
        }
        if (isSliding)
        {
            *(long*)at = spec.SlidingTicks;
            *(long*)(at + 8) = spec.SlidingEnd;
            at += 16;
        }
        if (spec.HasFailSafe)
        {
            Debug.Assert(hasExpiry && spec.FailSafeTicks > 0, "What does not expire is not kept behind its expiry.");
            *(long*)at = spec.FailSafeTicks;
            at += 8;
        }
        spec.Tags.CopyTo(new Span<ulong>(at, spec.Tags.Length));
    }
}

/// <summary>
/// The kind of an entry's value, three bits of its head. Values that the pile also stores as blocks have the number of the block's kind.
/// </summary>
internal enum ValueKind
{
    Null = BlockKind.Free,
    String = BlockKind.String,
    Bytes = BlockKind.Bytes,
    Object = BlockKind.Object,

    /// <summary>A pointer to an object of the pile. The entry owns the object.</summary>
    Pointer = 4,

    /// <summary>No value: the key was removed during a rebuild of the index, which may still find older blocks of it.</summary>
    Tombstone = 5,

    /// <summary>No value: the key is the hash of a tag, and entries with this tag and a lower version are dead.</summary>
    TagMark = 6,

    Utf16String = BlockKind.Utf16String,
}
