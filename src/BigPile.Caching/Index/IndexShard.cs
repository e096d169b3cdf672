using System;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;

namespace BigPile.Caching.Index;

/// <summary>A part of a table's index: an open-addressed array of slots in unmanaged memory, with a lock for its writers.</summary>
/// <remarks>
/// <para>
/// Readers take no lock. An entry never changes its place but when the array is replaced by a larger one; a reader that found nothing
/// therefore looks whether the array is still the one that it searched. Writers hold the lock for the whole change of a key: next version,
/// new block, slot, free of the old block; so of two changes to one key the order is the same in the index, in the blocks and in the
/// versions.
/// </para>
/// <para>
/// Layout of the array: its mask in the first word, then mask + 1 slots. At least a quarter of the slots is unused, so that every search
/// ends. The lower bits of the hash choose the place, the upper ones are the tag.
/// </para>
/// </remarks>
internal sealed unsafe class IndexShard : IDisposable
{
    private const int InitialSlots = 16;

    private readonly Action<nint> _retire;
    private SpinGate _lock;
    private nint _array;
    private int _used; // slots that are not unused: entries and removed marks

    /// <summary>Makes an empty shard.</summary>
    /// <param name="retire">Frees an array once no reader can be in it.</param>
    internal IndexShard(Action<nint> retire)
    {
        _retire = retire;
        _array = (nint)Allocate(InitialSlots);
        SizeBytes = BytesOf(InitialSlots);
    }

    /// <summary>The number of entries.</summary>
    internal int Count { get; private set; }

    /// <summary>The bytes of the entries' payloads.</summary>
    internal long EntryBytes { get; private set; }

    /// <summary>The bytes of the array; kept beside it, so that counting never looks into an array that is being freed.</summary>
    internal long SizeBytes { get; private set; }

    /// <summary>The array that is current now.</summary>
    internal ulong* Array => (ulong*)Volatile.Read(ref _array);

    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    internal static ulong Mask(ulong* array) => array[0];

    internal static IndexSlot Load(ulong* array, ulong place) => new(Volatile.Read(ref array[1 + place]));

    internal void SetLocked(ulong place, IndexSlot slot, long deltaBytes)
    {
        Volatile.Write(ref Current[1 + place], slot.Word);
        EntryBytes += deltaBytes;
    }

    internal void RemoveLocked(ulong place, long payloadBytes)
    {
        SetLocked(place, IndexSlot.Removed, -payloadBytes);
        Count--;
    }

    /// <summary>Makes room for one more entry.</summary>
    /// <param name="hashOf">Tells the hash of an entry by its block, for when the array is replaced.</param>
    internal void ReserveLocked(Func<ulong, ulong> hashOf)
    {
        if ((_used + 1) * 4L > (long)(Mask(Current) + 1) * 3)
            GrowLocked(hashOf);
    }

    /// <summary>Adds an entry that is not there yet, in the room that was reserved.</summary>
    internal void AddLocked(ulong hash, ulong address, long payloadBytes)
    {
        Place(Current, hash, address);
        _used++;
        Count++;
        EntryBytes += payloadBytes;
    }

    public void Dispose()
    {
        NativeMemory.Free(Current);
        _array = 0;
    }

    private ulong* Current => (ulong*)_array;

    private static void Place(ulong* array, ulong hash, ulong address)
    {
        ulong mask = Mask(array);
        ulong place = hash & mask;
        while (!Load(array, place).IsUnused)
            place = (place + 1) & mask;
        Volatile.Write(ref array[1 + place], new IndexSlot(hash, address).Word);
    }

    // Removed marks are left behind; the array keeps its size when they are what filled it.
    private void GrowLocked(Func<ulong, ulong> hashOf)
    {
        ulong* old = Current;
        ulong slots = Mask(old) + 1;
        ulong grownSlots = Count * 2L > (long)slots ? slots * 2 : slots;
        ulong* grown = Allocate(grownSlots);
        for (ulong place = 0; place < slots; place++)
        {
            IndexSlot slot = Load(old, place);
            if (slot.Address != 0)
                Place(grown, hashOf(slot.Address), slot.Address);
        }
        Volatile.Write(ref _array, (nint)grown);
        _used = Count;
        SizeBytes = BytesOf(grownSlots);
        _retire((nint)old);
    }

    private static long BytesOf(ulong slots) => ((long)slots + 1) * sizeof(ulong);

    private static ulong* Allocate(ulong slots)
    {
        var array = (ulong*)NativeMemory.AllocZeroed((nuint)(slots + 1), sizeof(ulong));
        array[0] = slots - 1;
        return array;
    }
}
