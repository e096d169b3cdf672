using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Caching.Entries;

/// <summary>
/// The first bytes of a table entry's payload, as format 2 has them. The key's bytes follow, and the value's behind them.
/// </summary>
/// <remarks>
/// <code>
/// bytes 0..7    version, higher than that of every entry put before in any table of the pile; bit 63: there is an extension
/// bytes 8..11   bits 15..0 the table's id in the catalog; 28..16 length of the key; 31..29 kind of the value
/// extension:
/// byte  12      bit 0 expiry, bit 1 sliding, bit 2 tags
/// byte  13      priority
/// bytes 14..15  number of tags
/// expiry:       the instant from which the entry is gone (8), in ticks of UTC
/// sliding:      the time that each use gives (8), in ticks; the instant that no use goes beyond (8)
/// tags:         hash of each (8)
/// </code>
/// Little-endian. All that a table needs after a kill is in its entries; of two entries with one key the higher version is right.
/// The bits 62..20 of a version are the millisecond of the put, so an entry's age takes no room.
/// </remarks>
internal readonly unsafe struct EntryHead
{
    /// <summary>The format that this layout is, as stored with a table's definition.</summary>
    internal const byte Format = 2;

    internal const int MaxTableId = ushort.MaxValue;
    internal const int MaxTags = 64;

    /// <summary>The bytes of a head without an extension.</summary>
    internal const int ShortBytes = 12;

    /// <summary>The bytes of the largest head.</summary>
    internal const int MaxBytes = FixedBytes + 3 * sizeof(long) + MaxTags * sizeof(ulong);

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

    private readonly byte* _start;
    private readonly ulong _version;
    private readonly uint _word;
    private readonly uint _extension;

    /// <summary>
    /// Reads the head of a payload that has at least <see cref="ShortBytes"/>. The bytes may be changing; check before they are trusted.
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

    /// <summary>Where the payload is.</summary>
    internal nint Payload => (nint)_start;

    internal ulong Version => _version & ~ExtensionBit;

    internal int TableId => (ushort)_word;

    internal int KeyBytes => (int)(_word >> KeyShift) & KeyMask;

    internal ValueKind Kind => (ValueKind)(_word >> KindShift);

    internal bool HasExpiry => ((byte)_extension & ExpiryFlag) != 0;

    internal bool IsSliding => ((byte)_extension & SlidingFlag) != 0;

    internal bool HasTags => ((byte)_extension & TagsFlag) != 0;

    /// <summary>Whether the entry may be gone though its block is there.</summary>
    internal bool MayBeDead => ((byte)_extension & (ExpiryFlag | TagsFlag)) != 0;

    /// <summary>The priority; of a number that none has, which an earlier version may have stored, the highest.</summary>
    internal EntryPriority Priority => (_version & ExtensionBit) == 0
        ? EntryPriority.Normal
        : (EntryPriority)Math.Min((byte)(_extension >> 8), (byte)EntryPriority.NeverEvict);

    internal int TagCount => HasTags ? (int)(_extension >> 16) : 0;

    /// <summary>The bytes of the head.</summary>
    internal int SizeBytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (_version & ExtensionBit) == 0 ? ShortBytes : LongBytes;
    }

    internal int ValueOffset => SizeBytes + KeyBytes;

    internal byte* Key => _start + SizeBytes;

    /// <summary>The object of the pile that the entry owns; the invalid pointer where it has a value of its own.</summary>
    internal PilePointer Owned => Kind == ValueKind.Pointer ? PilePointer.FromUInt64(*(ulong*)(Key + KeyBytes)) : default;

    /// <summary>The instant from which the entry is gone, in ticks.</summary>
    internal long ExpiresAt => HasExpiry ? *(long*)(_start + FixedBytes) : long.MaxValue;

    internal long SlidingTicks => *(long*)(_start + FixedBytes + 8);

    internal long SlidingEnd => *(long*)(_start + FixedBytes + 16);

    private int LongBytes => FixedBytes + TagsOffset + TagCount * sizeof(ulong);

    private int TagsOffset => (HasExpiry ? 8 : 0) + (IsSliding ? 16 : 0);

    /// <summary>The bytes of a head.</summary>
    internal static int BytesFor(in EntrySpec spec)
    {
        if (spec.IsPlain)
            return ShortBytes;
        return FixedBytes + (spec.ExpiresAt != long.MaxValue ? 8 : 0) + (spec.SlidingTicks != 0 ? 16 : 0)
            + spec.Tags.Length * sizeof(ulong);
    }

    /// <summary>Writes a head whose version is not known yet.</summary>
    internal static void Write(byte* payload, int tableId, int keyBytes, ValueKind kind, in EntrySpec spec)
    {
        if (tableId is <= 0 or > MaxTableId || (uint)keyBytes > KeyMask || (uint)kind > MaxKind || spec.Tags.Length > MaxTags)
            RefuseHead(tableId, keyBytes, kind, spec.Tags.Length);
        *(uint*)(payload + WordOffset) = (uint)tableId | ((uint)keyBytes << KeyShift) | ((uint)kind << KindShift);
        *(ulong*)payload = spec.IsPlain ? 0 : ExtensionBit;
        if (!spec.IsPlain)
            WriteExtension(payload, spec);
    }

    /// <summary>Completes a head that was written.</summary>
    internal static void SetVersion(byte* payload, ulong version)
    {
        if ((version & ExtensionBit) != 0)
            RefuseVersion(version);
        Debug.Assert((*(ulong*)payload & ~ExtensionBit) == 0, "A head gets its version once.");
        *(ulong*)payload |= version;
    }

    /// <summary>Moves the instant of expiry of an entry that has one. The key's lock is held, and the pile is not mapped.</summary>
    internal static void SetExpiry(byte* payload, long ticks) =>
        System.Threading.Volatile.Write(ref *(long*)(payload + FixedBytes), ticks);

    internal ulong Tag(int index) => *(ulong*)(_start + FixedBytes + TagsOffset + index * sizeof(ulong));

    /// <summary>Whether the head can be that of a payload: bytes that are being changed may say anything.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool FitsIn(long payloadBytes) => ValueOffset <= payloadBytes;

    /// <summary>The kind of block that the value would have alone.</summary>
    internal static BlockKind BlockKindOf(ValueKind kind) => (BlockKind)kind;

    // What would run into the neighbouring bits made an entry that nobody finds: no caller does so, and none is trusted to.
    [DoesNotReturn]
    private static void RefuseHead(int tableId, int keyBytes, ValueKind kind, int tags) => throw new PileException(
        $"The head of an entry has no room for table {tableId}, a key of {keyBytes:N0} bytes, values of kind {kind} and {tags:N0} tags: "
        + $"the most are {MaxTableId:N0}, {KeyMask:N0}, {MaxKind} and {MaxTags}. Nothing was stored.");

    [DoesNotReturn]
    private static void RefuseVersion(ulong version) => throw new PileException(
        $"The head of an entry has no room for the version {version:N0}: the highest is {Versions.Max:N0}. Nothing was stored.");

    private static void WriteExtension(byte* payload, in EntrySpec spec)
    {
        bool hasExpiry = spec.ExpiresAt != long.MaxValue;
        bool isSliding = spec.SlidingTicks != 0;
        payload[12] = (byte)((hasExpiry ? ExpiryFlag : 0) | (isSliding ? SlidingFlag : 0) | (spec.Tags.Length != 0 ? TagsFlag : 0));
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
        spec.Tags.CopyTo(new Span<ulong>(at, spec.Tags.Length));
    }
}
