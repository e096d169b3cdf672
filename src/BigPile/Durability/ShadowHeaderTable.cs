using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Durability;

/// <summary>
/// Shadow headers. A flushed block's own header must not change on disk before the next flush, so the current header of a replaced block,
/// or of a deleted link, is stored here.
/// </summary>
/// <remarks>
/// A hash table in a mapped file: it survives a kill, and means nothing after a power cut. Open addressing with linear probing (Knuth,
/// TAOCP 6.4); an entry has two words:
/// <code>
/// word 0   key: bit 63, the block's generation (bits 59..36), its address (bits 35..0); 0: empty, ends a probe; 1: deleted
/// word 1   the block's current header, with its own busy bit
/// </code>
/// The block's own header is busy as long as its entry exists, so readers that meet a busy header look here. Thread safety:
/// <see cref="Find"/> takes no lock, insertion takes <c>_lock</c>, deletion happens only while writers are blocked.
/// </remarks>
internal sealed unsafe class ShadowHeaderTable : IDisposable
{
    internal const string Name = "moved";

    internal const int Capacity = 1 << CapacityBits;

    private const int CapacityBits = 17; // 131,072 entries, 2 MiB
    private const long LengthBytes = (long)Capacity * EntryBytes;
    private const int ChunkBytes = 4096; // of a clearing: one page of the system
    private const int EntryBytes = 2 * sizeof(ulong);
    private const int MostUsed = Capacity / 16 * 15; // the rest is for callers that can neither wait nor fail
    private const int LeastUnused = 1_024; // more threads than can have checked the capacity without having inserted yet
    private const long MostBytesInPlace = 32 << 20; // above it a writer flushes first
    private const int PostponedEntries = Capacity / 64; // after a failed flush the next one is requested after so many more
    private const long PostponedBytes = 4 << 20; // the same, of payload bytes
    private const ulong ValidBit = 1UL << 63;
    private const ulong DeletedKey = 1; // no entry: the valid bit is missing

    private readonly MappedRegion? _region; // the file; null in a table without one
    private readonly ulong* _words; // two words per entry; null in a table without a file
    private TinySpinLock _lock; // held while an entry is inserted
    private int _used; // entries in use or deleted (probes pass through both); under _lock, or while writers are blocked
    private long _bytesInPlace; // payload bytes that the next flush must log because of this table; an estimate, written without a lock
    private int _flushSoonAbove = Capacity / 2; // used entries above which a background flush is requested
    private int _flushFirstAbove = Capacity / 4 * 3; // used entries above which a writer flushes first
    private long _flushFirstAboveBytes = MostBytesInPlace; // the same for _bytesInPlace

    private ShadowHeaderTable()
    {
    }

    private ShadowHeaderTable(MappedRegion region)
    {
        _region = region;
        _words = (ulong*)region.Start;
    }

    /// <summary>An entry as it was at some instant.</summary>
    internal readonly record struct Entry(ulong Address, uint Generation, ulong HeaderWord, nint Word)
    {
        internal BlockHeader Header => new(HeaderWord);

        /// <summary>The header that the entry has now.</summary>
        internal BlockHeader CurrentHeader => new(Volatile.Read(ref *(ulong*)Word));
    }

    /// <summary>Entries in use. Written under <c>_lock</c>, or while writers are blocked.</summary>
    internal int Count { get; private set; }

    /// <summary>Whether a flush should empty the table soon.</summary>
    internal bool IsHalfFull => _used > _flushSoonAbove;

    /// <summary>Whether a writer should flush before it adds anything.</summary>
    /// <remarks>A stored flag instead of a computed one: every write of the pile reads it.</remarks>
    internal bool IsNearlyFull { get; private set; }

    /// <summary>
    /// Sets the thresholds after a failed flush: the next one is requested after some more entries, not for each. With few entries that is
    /// earlier than without a failure.
    /// </summary>
    internal void Postpone()
    {
        _flushSoonAbove = Math.Min(MostUsed, _used + PostponedEntries);
        _flushFirstAbove = Math.Max(_flushFirstAbove, _flushSoonAbove);
        _flushFirstAboveBytes = Math.Max(_flushFirstAboveBytes, _bytesInPlace + PostponedBytes);
        UpdateIsNearlyFull();
    }

    /// <summary>Resets the thresholds after a successful flush.</summary>
    internal void OnFlushed()
    {
        _bytesInPlace = 0;
        _flushSoonAbove = Capacity / 2;
        _flushFirstAbove = Capacity / 4 * 3;
        _flushFirstAboveBytes = MostBytesInPlace;
        UpdateIsNearlyFull();
    }

    /// <summary>Counts payload bytes that the next flush must log because only this table makes them current.</summary>
    internal void CountInPlace(long payloadBytes)
    {
        _bytesInPlace += payloadBytes; // no lock: a lost addition only makes the flush later
        UpdateIsNearlyFull();
    }

    /// <summary>Whether only callers that can't wait for a flush may add entries.</summary>
    internal bool IsFull => _used >= MostUsed;

    /// <summary>Whether the reserve is used, too: of callers that can't wait, only those that asked before may still add entries.</summary>
    internal bool IsReserveUsed => _used >= Capacity - 2 * LeastUnused;

    /// <summary>Whether no entry may be added at all: a probe must find an empty entry.</summary>
    internal bool IsExhausted => _used >= Capacity - LeastUnused;

    /// <summary>An empty table without a file, for piles without flushes: their blocks change in place.</summary>
    internal static ShadowHeaderTable None() => new();

    internal static ShadowHeaderTable Open(HeldDirectory directory)
    {
        bool isUsable;
        using (HeldFile? found = directory.TryOpen(Name, FileAccess.Read))
            isUsable = found?.LengthBytes == LengthBytes;
        return new ShadowHeaderTable(
            isUsable
                ? MappedRegion.Open(directory, Name, LengthBytes, readOnly: false)
                : MappedRegion.Create(directory, Name, LengthBytes));
    }

    /// <summary>Opens a table that another process may be changing; null if there is none.</summary>
    internal static ShadowHeaderTable? OpenForReading(HeldDirectory directory)
    {
        try
        {
            return new ShadowHeaderTable(MappedRegion.Open(directory, Name, LengthBytes, readOnly: true));
        }
        catch (Exception e) when (e is IOException or InvalidDataException)
        {
            return null; // missing, or not completely created
        }
    }

    /// <summary>The word with a block's shadow header; null if the block's own header is current.</summary>
    internal ulong* Find(ulong address, uint generation)
    {
        if (_words == null)
            return null;
        ulong key = KeyOf(address, generation);
        for (int at = HomeIndex(key), probes = 0; probes < Capacity; at = (at + 1) & (Capacity - 1), probes++)
        {
            // Acquire: pairs with the last store of Add, so word 1 is there. A deleted entry does not end the probe.
            ulong found = Volatile.Read(ref _words[2 * at]);
            if (found == key)
                return _words + 2 * at + 1; // may be deleted at once, while writers are blocked: Validate
            if (found == 0)
                return null;
        }
        return null;
    }

    /// <summary>Whether a word found before is unchanged, and still belongs to its block.</summary>
    internal static bool Validate(ulong* word, BlockHeader header, ulong address, uint generation)
    {
        // What the caller has read by the header is loaded before. Pairs with the releases of Add and of the deletion by a flush.
        Volatile.ReadBarrier();
        return *word == header.Word && Volatile.Read(ref word[-1]) == KeyOf(address, generation);
    }

    /// <summary>Adds a block that the caller has made busy. Its own header stays busy.</summary>
    internal void Add(ulong address, uint generation, BlockHeader header)
    {
        Debug.Assert(_words != null, "Only flushed blocks have shadow headers.");
        Debug.Assert(
            address is > 0 and <= PilePointer.AddressMask && generation <= PilePointer.MaxGeneration, "Two blocks would have one key.");
        _lock.Enter(); // two threads must not take one entry
        ulong key = KeyOf(address, generation);
        int at = HomeIndex(key);
        while (_words[2 * at] > DeletedKey) // until an empty entry, or a deleted one
        {
            Debug.Assert(_words[2 * at] != key, "A block has at most one shadow header.");
            at = (at + 1) & (Capacity - 1);
        }
        if (_words[2 * at] == 0)
            _used++;
        Debug.Assert(_used < Capacity, "A probe for an absent key would not end.");
        Count++;
        // The header before the key: who finds the key finds its header. A kill in between leaves no entry, and the block as it was.
        Volatile.Write(ref _words[2 * at + 1], header.Word);
        CrashPoints.Pass(CrashPoint.ShadowBeforeValid);
        Volatile.Write(ref _words[2 * at], key);
        UpdateIsNearlyFull();
        _lock.Exit();
    }

    /// <summary>Deletes an entry. Writers are blocked; readers may probe meanwhile.</summary>
    internal void Remove(in Entry entry)
    {
        int at = (int)(((ulong*)entry.Word - _words) / 2);
        Debug.Assert(
            at is >= 0 and < Capacity && _words[2 * at] == KeyOf(entry.Address, entry.Generation), "The entry belongs to another block.");
        Debug.Assert(Count > 0, "More entries were deleted than added.");
        Count--;
        bool isLast = _words[2 * ((at + 1) & (Capacity - 1))] == 0;
        Volatile.Write(ref _words[2 * at], DeletedKey); // not 0: probes for entries behind it go on
        // If the next entry is empty, every probe ends there anyway: this entry, and the deleted ones before it, can become empty too.
        for (; isLast && _words[2 * at] == DeletedKey; at = (at - 1) & (Capacity - 1))
        {
            Volatile.Write(ref _words[2 * at], 0);
            _used--;
        }
    }

    /// <summary>All entries in use. Writers are blocked.</summary>
    internal List<Entry> Entries() => EntriesIn(Words);

    /// <summary>Copies all words, from which <see cref="EntriesIn"/> makes the entries later. Writers are blocked.</summary>
    /// <param name="words">Gets them; made if it is not long enough, and used again.</param>
    internal void CopyTo(ref ulong[] words)
    {
        if (words.Length < Words.Length)
            words = GC.AllocateUninitializedArray<ulong>(Words.Length);
        Words.CopyTo(words);
    }

    /// <summary>The entries that were in use at a copy. None was deleted since.</summary>
    internal List<Entry> EntriesIn(ReadOnlySpan<ulong> words)
    {
        var entries = new List<Entry>();
        for (int at = 0; at < words.Length; at += 2)
        {
            ulong key = words[at];
            if ((key & ValidBit) != 0)
            {
                entries.Add(new Entry(
                    key & PilePointer.AddressMask, (uint)(key >> PilePointer.AddressBits) & PilePointer.MaxGeneration,
                    new BlockHeader(words[at + 1]).NotBusy.Word, (nint)(_words + at + 1)));
            }
        }
        return entries;
    }

    /// <summary>
    /// Recovers the table after a kill: keeps the entries whose block is still shadowed, and clears their busy bits. Nobody uses the pile
    /// yet.
    /// </summary>
    /// <param name="isShadowed">Whether the block of an entry is still shadowed.</param>
    internal void Recover(Predicate<Entry> isShadowed)
    {
        if (_words == null)
            return;
        foreach (Entry entry in Entries())
        {
            Count++;
            if (isShadowed(entry))
                Volatile.Write(ref *(ulong*)entry.Word, entry.HeaderWord); // the stored value without the busy bit, as its writer is dead
            else
                Remove(entry);
        }
        _used = 0; // counted anew: places that a killed owner deleted count, too
        for (int at = 0; at < Capacity; at++)
            _used += _words[2 * at] == 0 ? 0 : 1;
        UpdateIsNearlyFull();
    }

    /// <summary>Removes all entries.</summary>
    internal void Clear()
    {
        for (long offset = 0; offset < LengthBytes && _words != null; offset += ChunkBytes)
        {
            var chunk = new Span<byte>((byte*)_words + offset, ChunkBytes);
            if (chunk.ContainsAnyExcept((byte)0)) // compare first: a store dirties a page, which the system must write
                chunk.Clear();
        }
        _used = 0;
        Count = 0;
        UpdateIsNearlyFull();
    }

    public void Dispose() => _region?.Dispose();

    private ReadOnlySpan<ulong> Words => new(_words, _words == null ? 0 : 2 * Capacity);

    private void UpdateIsNearlyFull() => IsNearlyFull = _used > _flushFirstAbove || _bytesInPlace > _flushFirstAboveBytes;

    private static ulong KeyOf(ulong address, uint generation) => ValidBit | ((ulong)generation << PilePointer.AddressBits) | address;

    private static int HomeIndex(ulong key) => (int)((key * 0x9E3779B97F4A7C15) >> (64 - CapacityBits));
}
