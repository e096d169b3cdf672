using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Caching.Entries;

/// <summary>
/// The head of an entry as nearly all are: without an extension, and with a value of its own. <see cref="EntryHead"/> has the layout.
/// </summary>
internal readonly unsafe struct PlainHead
{
    private readonly byte* _start;
    private readonly ulong _version;
    private readonly uint _word;

    /// <summary>
    /// Reads the head of a payload that has at least <see cref="EntryHead.ShortBytes"/>. The bytes may be changing; check before they are
    /// trusted.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PlainHead(byte* payload)
    {
        _start = payload;
        _version = *(ulong*)payload;
        _word = *(uint*)(payload + EntryHead.WordOffset);
    }

    /// <summary>Whether the head is of this form, and its version higher than another one; nothing else counts if not.</summary>
    /// <remarks>With the bit of an extension a version is a negative number, so one comparison tells both.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsPlainAfter(ulong version) => (long)_version > (long)version && (Kind < ValueKind.Pointer || Kind > ValueKind.TagMark);

    /// <summary>Whether it is an entry of a table, and the key's bytes are these.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool HasKey(int tableId, ReadOnlySpan<byte> key)
    {
        if (((uint)key.Length << EntryHead.KeyShift | (uint)tableId) != (_word & EntryHead.KeyAndTableMask))
            return false;
        ref byte first = ref MemoryMarshal.GetReference(key);
        return key.Length == sizeof(ulong)
            ? Unsafe.ReadUnaligned<ulong>(ref first) == *(ulong*)Key
            : MemoryMarshal.CreateReadOnlySpan(ref *Key, key.Length).SequenceEqual(key);
    }

    internal ulong Version => _version;

    internal int KeyBytes => (int)(_word >> EntryHead.KeyShift) & EntryHead.KeyMask;

    internal ValueKind Kind => (ValueKind)(_word >> EntryHead.KindShift);

    internal byte* Key => _start + EntryHead.ShortBytes;

    internal int ValueOffset => EntryHead.ShortBytes + KeyBytes;

    internal byte* Value => _start + ValueOffset;
}
