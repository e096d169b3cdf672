using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;

namespace BigPile.Caching;

/// <summary>Values as objects of their own in the pile.</summary>
public sealed partial class CacheTable<TKey, TValue>
{
    /// <summary>
    /// Puts an object of the pile as a value. The table takes it over: it goes with the entry, and nobody else may delete it.
    /// </summary>
    /// <remarks>
    /// The entry leads to the object and has no copy of it: what becomes durable of the two is told apart. A power cut may leave an entry
    /// that was put since the last flush beside an older value of the object, where that was flushed before and replaced since: the value
    /// that the last flush made durable. Flush behind the replacement, or put the new value as an object of its own. After a kill both are
    /// as they were.
    /// </remarks>
    /// <param name="key">The key; at most 4,096 bytes.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="options">Age, priority and tags; the table's when left out.</param>
    /// <returns>What became of it. After <see cref="PutResult.Collision"/> the object is still the caller's.</returns>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="ArgumentException">The key is too long, or an option is out of its range.</exception>
    /// <exception cref="PileFullException">There is no room; the table is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PutResult PutPointer(TKey key, PilePointer pointer, EntryOptions? options = null)
    {
        _ = Core.Pile.SizeOf(pointer); // refuses what is no object
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        ulong word = pointer.ToUInt64();
        return Put(_keys.Probe(key, stack), AsBytes(in word), ValueKind.Pointer, options, TableCore.Condition.None, out _)!.Value;
    }

    /// <summary>The object that holds a key's value. A value that lies in its entry is moved to an object of its own first.</summary>
    /// <param name="key">The key.</param>
    /// <param name="pointer">The object; the table's own, valid until the entry is replaced, removed, evicted or expires.</param>
    /// <returns><see langword="false"/> when the table has no such key, or its value is null.</returns>
    /// <exception cref="PileFullException">The pile or the table has no room to move the value to; the table is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryGetPointer(TKey key, out PilePointer pointer)
    {
        Unsafe.SkipInit(out KeyRoom room);
        Span<byte> stack = room;
        KeyProbe probe = _keys.Probe(key, stack);
        while (Core.TryLook(probe, out TableCore.EntryCopy entry))
        {
            if (entry.Kind == ValueKind.Null)
                break;
            if (entry.Kind == ValueKind.Pointer ? Core.TryReadPointer(probe, out pointer, out _) : TryMoveOut(probe, entry, out pointer))
                return true;
        }
        pointer = default;
        return false;
    }

    /// <summary>The object that holds a key's value; see <see cref="TryGetPointer"/>.</summary>
    /// <returns>The pointer; the invalid one when the table has no such key, or its value is null.</returns>
    /// <exception cref="PileFullException">The pile or the table has no room to move the value to; the table is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PilePointer GetPointer(TKey key) => TryGetPointer(key, out PilePointer pointer) ? pointer : default;

    private bool TryMoveOut(in KeyProbe key, in TableCore.EntryCopy entry, out PilePointer pointer)
    {
        pointer = default;
        if (!TryCopy(key, out CopyReader copy, out EntryInfo info))
            return false;
        using (copy)
        {
            if (info.Version != entry.Info.Version)
                return false;
            PutResult? result = Core.MoveOut(key, copy.Value, copy.Kind, entry.Spec, info.Version, out pointer);
            if (result == PutResult.Collision)
                throw new PileFullException($"The table '{Name}' is at its limit, and nothing may go for the pointer to the value.");
            return result != null;
        }
    }

    /// <summary>Puts the object that an entry owns again, if its value is one.</summary>
    private PutResult? PutOwnedAgain(in KeyProbe key, ulong version, in EntrySpec spec, out EntryInfo info)
    {
        info = default;
        if (!Core.TryReadPointer(key, out PilePointer pointer, out ulong found) || found != version)
            return null;
        ulong word = pointer.ToUInt64();
        return Core.Put(key, AsBytes(in word), ValueKind.Pointer, spec, TableCore.Condition.Of(version), out info);
    }

    private static ReadOnlySpan<byte> AsBytes(in ulong word) => MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in word));
}
