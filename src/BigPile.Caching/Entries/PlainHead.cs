using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Caching.Entries;

/// <summary>
/// The head of a plain entry, as most are: no extension, and the value in the entry. <see cref="EntryHead"/> has the layout.
/// </summary>
internal readonly unsafe struct PlainHead
{
    private readonly byte* _start; // the payload
    private readonly ulong _version; // with the extension bit
    private readonly uint _word; // table id, key length, kind of value

    /// <summary>
    /// Reads the head of a payload that has at least <see cref="EntryHead.ShortBytes"/>. The bytes may be changing: the caller validates
    /// them.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PlainHead(byte* payload)
    {
        _start = payload;
        _version = *(ulong*)payload;
        _word = *(uint*)(payload + EntryHead.WordOffset);
    }

    /// <summary>Whether the entry is plain, and its version above another one. If not, no other member is valid.</summary>
    /// <remarks>With the extension bit set a version is a negative number, so one comparison covers both.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsPlainAfter(ulong version) => (long)_version > (long)version && (Kind < ValueKind.Pointer || Kind > ValueKind.TagMark);

    /// <summary>Whether it is an entry of a table with this key.</summary>
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
