using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>
/// The headers that count of blocks whose own header must stay until the next flush: of those that were moved, or deleted as links.
/// </summary>
/// <remarks>
/// A hash table in a file, so that a kill loses nothing; after a power cut it means nothing. A place:
/// <code>
/// word 0   bit 63 and the block's generation (bits 59..36) and address (bits 35..0); 0: never used since the table was empty; 1: given up
/// word 1   the header that counts, with a busy bit of its own
/// </code>
/// The block's own header is busy for as long as it has a place here. Word 1 is stored first, and word 0 publishes it. A search goes from
/// the place that the hash gives to the first one that was never used.
/// Thread safety: <see cref="Find"/> takes no lock; a place is given up only while nothing changes.
/// </remarks>
internal sealed unsafe class ShadowHeaderTable : IDisposable
{
    /// <summary>The name of the file.</summary>
    internal const string Name = "moved";

    /// <summary>The number of places.</summary>
    internal const int Capacity = 1 << CapacityBits;

    private const int CapacityBits = 17;
    private const long LengthBytes = (long)Capacity * EntryBytes;
    private const int ChunkBytes = 4096;
    private const int EntryBytes = 2 * sizeof(ulong);
    private const int MostUsed = Capacity / 16 * 15;
    private const int LeastUnused = 1_024; // as many threads may have found room and not taken it yet
    private const long MostBytesInPlace = 32 << 20;
    private const int PostponedEntries = Capacity / 64;
    private const long PostponedBytes = 4 << 20;
    private const ulong ValidBit = 1UL << 63;
    private const ulong DeletedKey = 1;

    private readonly MappedRegion? _region;
    private readonly ulong* _words;
    private TinySpinLock _lock;
    private int _used; // places given up included: a search goes through them as well
    private long _bytesInPlace; // an estimate
    private int _flushSoonAbove = Capacity / 2;
    private int _flushFirstAbove = Capacity / 4 * 3;
    private long _flushFirstAboveBytes = MostBytesInPlace;

    private ShadowHeaderTable()
    {
    }

    private ShadowHeaderTable(MappedRegion region)
    {
        _region = region;
        _words = (ulong*)region.Start;
    }

    /// <summary>One place as it was at some instant.</summary>
    internal readonly record struct Entry(ulong Address, uint Generation, ulong HeaderWord, nint Word)
    {
        internal BlockHeader Header => new(HeaderWord);

        /// <summary>The header that counts now.</summary>
        internal BlockHeader CurrentHeader => new(Volatile.Read(ref *(ulong*)Word));
    }

    /// <summary>Places in use.</summary>
    internal int Count { get; private set; }

    /// <summary>Whether so many are in use that a flush should empty the table soon.</summary>
    internal bool IsHalfFull => _used > _flushSoonAbove;

    /// <summary>Whether a flush should come before anything else is moved.</summary>
    /// <remarks>Kept up to date by whoever changes what it depends on: each change of the pile asks, and nearly none finds it so.</remarks>
    internal bool IsNearlyFull { get; private set; }

    /// <summary>States that a flush has failed: the next one is wanted when some more came in, and not for each of them.</summary>
    internal void Postpone()
    {
        _flushSoonAbove = Math.Min(MostUsed, _used + PostponedEntries);
        _flushFirstAbove = Math.Max(_flushFirstAbove, _flushSoonAbove);
        _flushFirstAboveBytes = Math.Max(_flushFirstAboveBytes, _bytesInPlace + PostponedBytes);
        UpdateIsNearlyFull();
    }

    /// <summary>States that a flush has ended well.</summary>
    internal void OnFlushed()
    {
        _bytesInPlace = 0;
        _flushSoonAbove = Capacity / 2;
        _flushFirstAbove = Capacity / 4 * 3;
        _flushFirstAboveBytes = MostBytesInPlace;
        UpdateIsNearlyFull();
    }

    /// <summary>States that a flush must write so many bytes more of payload because they are where only the table says so.</summary>
    internal void CountInPlace(long payloadBytes)
    {
        _bytesInPlace += payloadBytes;
        UpdateIsNearlyFull();
    }

    /// <summary>Whether nothing more may come in, but for what can't wait for a flush.</summary>
    internal bool IsFull => _used >= MostUsed;

    /// <summary>Whether nothing at all may come in: a search must find its end.</summary>
    internal bool IsExhausted => _used >= Capacity - LeastUnused;

    /// <summary>A table without places, of a pile whose blocks need none: what never was flushed changes where it lies.</summary>
    internal static ShadowHeaderTable None() => new();

    /// <summary>Opens the table, or makes it.</summary>
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

    /// <summary>Opens a table that another process may be changing; none where there is none.</summary>
    internal static ShadowHeaderTable? OpenForReading(HeldDirectory directory)
    {
        try
        {
            return new ShadowHeaderTable(MappedRegion.Open(directory, Name, LengthBytes, readOnly: true));
        }
        catch (Exception e) when (e is IOException or InvalidDataException)
        {
            return null; // there is none, or it is not made to its end
        }
    }

    /// <summary>The word with the header that counts of a block, or null when that is its own.</summary>
    internal ulong* Find(ulong address, uint generation)
    {
        if (_words == null)
            return null;
        ulong key = KeyOf(address, generation);
        for (int at = HomeIndex(key), probes = 0; probes < Capacity; at = (at + 1) & (Capacity - 1), probes++)
        {
            ulong found = Volatile.Read(ref _words[2 * at]);
            if (found == key)
                return _words + 2 * at + 1;
            if (found == 0)
                return null;
        }
        return null;
    }

    /// <summary>Whether a word that was found still belongs to its block.</summary>
    internal static bool IsCurrent(ulong* word, ulong address, uint generation) => Volatile.Read(ref word[-1]) == KeyOf(address, generation);

    /// <summary>Enters a block, which is the caller's alone and busy, and stays so.</summary>
    internal void Add(ulong address, uint generation, BlockHeader header)
    {
        Debug.Assert(_words != null, "Only what was flushed is moved.");
        Debug.Assert(
            address is > 0 and <= PilePointer.AddressMask && generation <= PilePointer.MaxGeneration, "Two blocks would have one key.");
        _lock.Enter();
        ulong key = KeyOf(address, generation);
        int at = HomeIndex(key);
        while (_words[2 * at] > DeletedKey)
        {
            Debug.Assert(_words[2 * at] != key, "A block that was moved has one place only.");
            at = (at + 1) & (Capacity - 1);
        }
        if (_words[2 * at] == 0)
            _used++;
        Debug.Assert(_used < Capacity, "A search for what is not there would find no end.");
        Count++;
        Volatile.Write(ref _words[2 * at + 1], header.Word);
        CrashPoints.Pass(CrashPoint.ShadowBeforeValid);
        Volatile.Write(ref _words[2 * at], key);
        UpdateIsNearlyFull();
        _lock.Exit();
    }

    /// <summary>Gives up a place. Nothing changes meanwhile, but readers may search.</summary>
    internal void Remove(in Entry entry)
    {
        int at = (int)(((ulong*)entry.Word - _words) / 2);
        Debug.Assert(
            at is >= 0 and < Capacity && _words[2 * at] == KeyOf(entry.Address, entry.Generation), "The place is somebody else's by now.");
        Debug.Assert(Count > 0, "More places are given up than were taken.");
        Count--;
        bool isLast = _words[2 * ((at + 1) & (Capacity - 1))] == 0;
        Volatile.Write(ref _words[2 * at], DeletedKey);
        // Where the next place was never used, every search ends there anyway: this place, and those given up before it, can end one too.
        for (; isLast && _words[2 * at] == DeletedKey; at = (at - 1) & (Capacity - 1))
        {
            Volatile.Write(ref _words[2 * at], 0);
            _used--;
        }
    }

    /// <summary>All places in use. Nothing changes meanwhile.</summary>
    internal List<Entry> Entries()
    {
        var entries = new List<Entry>(Count);
        for (int at = 0; at < Capacity && _words != null; at++)
        {
            ulong key = _words[2 * at];
            if ((key & ValidBit) != 0)
            {
                entries.Add(new Entry(
                    key & PilePointer.AddressMask, (uint)(key >> PilePointer.AddressBits) & PilePointer.MaxGeneration,
                    new BlockHeader(_words[2 * at + 1]).NotBusy.Word, (nint)(_words + 2 * at + 1)));
            }
        }
        return entries;
    }

    /// <summary>Takes over what a killed process left. Nobody uses the pile yet.</summary>
    /// <param name="isShadowed">Whether the block of an entry waits for it.</param>
    internal void Recover(Predicate<Entry> isShadowed)
    {
        if (_words == null)
            return;
        foreach (Entry entry in Entries())
        {
            Count++;
            if (isShadowed(entry))
                Volatile.Write(ref *(ulong*)entry.Word, entry.HeaderWord); // not busy: the writer is dead
            else
                Remove(entry);
        }
        _used = 0;
        for (int at = 0; at < Capacity; at++)
            _used += _words[2 * at] == 0 ? 0 : 1;
        UpdateIsNearlyFull();
    }

    /// <summary>Empties the table.</summary>
    internal void Clear()
    {
        for (long offset = 0; offset < LengthBytes && _words != null; offset += ChunkBytes)
        {
            var chunk = new Span<byte>((byte*)_words + offset, ChunkBytes);
            if (chunk.ContainsAnyExcept((byte)0)) // a store costs far more than a look: the system has to write the page
                chunk.Clear();
        }
        _used = 0;
        Count = 0;
        UpdateIsNearlyFull();
    }

    public void Dispose() => _region?.Dispose();

    private void UpdateIsNearlyFull() => IsNearlyFull = _used > _flushFirstAbove || _bytesInPlace > _flushFirstAboveBytes;

    private static ulong KeyOf(ulong address, uint generation) => ValidBit | ((ulong)generation << PilePointer.AddressBits) | address;

    private static int HomeIndex(ulong key) => (int)((key * 0x9E3779B97F4A7C15) >> (64 - CapacityBits));
}
