using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Blocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>A table from key bytes to payloads; the typed tables are thin covers of it.</summary>
/// <remarks>
/// Order of a put, all under the key's shard lock: next version; new block written and published; index slot swung to it; old block
/// freed. A kill between leaves two blocks with one key, of which the higher version is right. Freed outside the lock, the old block
/// could outlive a removal of the same key by another thread, and bring it back after a kill.
/// </remarks>
internal sealed unsafe class TableCore : IDisposable
{
    private const int ShardCount = 64;
    private const int ShardShift = 34; // bits that are neither in the tag nor likely to choose a place

    private readonly IndexShard[] _shards = new IndexShard[ShardCount];
    private readonly StripedCounter _hits = new();
    private readonly StripedCounter _misses = new();
    private readonly StripedCounter _puts = new();
    private readonly StripedCounter _removals = new();
    private readonly Func<ulong, ulong> _hashOf;
    private bool _closed;

    internal TableCore(Pile pile, int id, string name, KeyKind keyKind)
    {
        Pile = pile;
        Id = id;
        Name = name;
        KeyKind = keyKind;
        _hashOf = HashOf;
        for (int i = 0; i < ShardCount; i++)
            _shards[i] = new IndexShard(pile.Retire);
    }

    internal Pile Pile { get; }

    internal int Id { get; }

    internal string Name { get; }

    internal KeyKind KeyKind { get; }

    internal long Count
    {
        get
        {
            long count = 0;
            foreach (IndexShard shard in _shards)
                count += shard.Count;
            return count;
        }
    }

    internal TableStatistics Statistics
    {
        get
        {
            long entryBytes = 0;
            long indexBytes = 0;
            foreach (IndexShard shard in _shards)
            {
                entryBytes += shard.EntryBytes;
                indexBytes += shard.SizeBytes;
            }
            return new TableStatistics(Count, entryBytes, indexBytes, _hits.Sum, _misses.Sum, _puts.Sum, _removals.Sum);
        }
    }

    /// <summary>Reads the value of a key.</summary>
    internal bool TryRead<TReader>(ReadOnlySpan<byte> key, ref TReader reader, out EntryInfo info)
        where TReader : struct, Pile.IPayloadReader, allows ref struct
    {
        ulong hash = KeyHash.Of(key);
        IndexShard shard = ShardOf(hash);
        ThreadPresence presence = Enter();
        try
        {
            bool found;
            while (!TrySearch(shard, hash, key, ref reader, out found, out info))
            {
            }
            (found ? _hits : _misses).Increment();
            return found;
        }
        finally
        {
            Pile.Exit(presence);
        }
    }

    /// <summary>Puts a value.</summary>
    internal PutResult Put(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, BlockKind valueKind, out EntryInfo info)
    {
        KeyCodec.CheckLength(key.Length);
        ulong hash = KeyHash.Of(key);
        IndexShard shard = ShardOf(hash);
        ThreadPresence presence = EnterToChange();
        shard.EnterLock();
        try
        {
            shard.ReserveLocked(_hashOf);
            ulong version = Pile.NextVersion();
            var head = new EntryHead(Id, valueKind, key.Length, version);
            ulong address = Pile.PutEntry(MemoryMarshal.AsBytes(new ReadOnlySpan<EntryHead>(in head)), key, value);
            info = new EntryInfo(version, value.Length);
            _puts.Increment();
            KillPoint.Pass(KillWindow.EntryBeforeSwing);
            return SwingLocked(shard, hash, key, address, EntryHead.SizeBytes + key.Length + value.Length);
        }
        finally
        {
            shard.ExitLock();
            Pile.ExitAfterFree(presence);
        }
    }

    /// <summary>Removes a key.</summary>
    internal bool Remove(ReadOnlySpan<byte> key)
    {
        ulong hash = KeyHash.Of(key);
        IndexShard shard = ShardOf(hash);
        ThreadPresence presence = EnterToChange();
        shard.EnterLock();
        try
        {
            if (!TryFindLocked(shard, hash, key, out ulong place, out IndexSlot slot))
                return false;
            Pile.EntryView entry = Pile.ViewEntry(slot.Address);
            shard.RemoveLocked(place, entry.PayloadBytes);
            KillPoint.Pass(KillWindow.RemoveBeforeFreed);
            Pile.FreeEntry(slot.Address);
            _removals.Increment();
            return true;
        }
        finally
        {
            shard.ExitLock();
            Pile.ExitAfterFree(presence);
        }
    }

    /// <summary>Takes in an entry that was found in the pile at opening; of two with one key, the older is freed.</summary>
    internal void AddFound(ulong address)
    {
        ulong hash = HashOf(address);
        IndexShard shard = ShardOf(hash);
        Pile.EntryView found = Pile.ViewEntry(address);
        Pile.NoteVersion(HeadOf(found).Version);
        shard.EnterLock();
        try
        {
            shard.ReserveLocked(_hashOf);
            if (!TryFindLocked(shard, hash, KeyOf(found), out ulong place, out IndexSlot slot))
            {
                shard.AddLocked(hash, address, found.PayloadBytes);
                return;
            }
            Pile.EntryView other = Pile.ViewEntry(slot.Address);
            bool isNewer = HeadOf(found).Version > HeadOf(other).Version;
            if (isNewer)
                shard.SetLocked(place, new IndexSlot(hash, address), found.PayloadBytes - other.PayloadBytes);
            Pile.FreeEntry(isNewer ? slot.Address : address);
        }
        finally
        {
            shard.ExitLock();
        }
    }

    /// <summary>The keys of a part of the table, as bytes; parts are numbered from 0.</summary>
    /// <returns><see langword="false"/> when there is no such part.</returns>
    internal bool TryCopyKeys(int part, List<byte[]> keys)
    {
        keys.Clear();
        if (part >= ShardCount)
            return false;
        ThreadPresence presence = Enter();
        try
        {
            ulong* array = _shards[part].Array;
            for (ulong place = 0; place <= IndexShard.Mask(array); place++)
                CopyKey(array, place, keys);
            return true;
        }
        finally
        {
            Pile.Exit(presence);
        }
    }

    /// <summary>Refuses all later calls; those that run may end.</summary>
    internal void Close() => Volatile.Write(ref _closed, true);

    /// <summary>Frees the index. Nobody is inside any more.</summary>
    public void Dispose()
    {
        foreach (IndexShard shard in _shards)
            shard.Dispose();
    }

    private static EntryHead HeadOf(Pile.EntryView entry) => *(EntryHead*)entry.Payload;

    private static ReadOnlySpan<byte> KeyOf(Pile.EntryView entry) => new(entry.Payload + EntryHead.SizeBytes, HeadOf(entry).KeyBytes);

    private ThreadPresence Enter() => RefuseClosed(Pile.Enter());

    private ThreadPresence EnterToChange() => RefuseClosed(Pile.EnterToChange());

    private ThreadPresence RefuseClosed(ThreadPresence presence)
    {
        if (!Volatile.Read(ref _closed))
            return presence;
        presence.Exit();
        throw new ObjectDisposedException(nameof(PileCache));
    }

    private IndexShard ShardOf(ulong hash) => _shards[(hash >> ShardShift) & (ShardCount - 1)];

    private ulong HashOf(ulong address) => KeyHash.Of(KeyOf(Pile.ViewEntry(address)));

    /// <summary>Searches once; <see langword="false"/> when something changed on the way and the search counts for nothing.</summary>
    private bool TrySearch<TReader>(
        IndexShard shard, ulong hash, ReadOnlySpan<byte> key, ref TReader reader, out bool found, out EntryInfo info)
        where TReader : struct, Pile.IPayloadReader, allows ref struct
    {
        found = false;
        info = default;
        ulong* array = shard.Array;
        ulong mask = IndexShard.Mask(array);
        for (ulong place = hash & mask; ; place = (place + 1) & mask)
        {
            IndexSlot slot = IndexShard.Load(array, place);
            if (slot.IsUnused)
                return shard.Array == array;
            if (!slot.MayBe(hash))
                continue;
            Pile.EntryView entry = Pile.ViewEntry(slot.Address);
            bool isKey = !entry.IsNone && HasKey(entry, key);
            if (isKey)
                info = ReadValue(entry, ref reader);
            if (entry.IsNone || !entry.IsUnchanged() || IndexShard.Load(array, place).Word != slot.Word)
                return false;
            found = isKey;
            if (isKey)
                return true;
        }
    }

    private static bool HasKey(Pile.EntryView entry, ReadOnlySpan<byte> key)
    {
        EntryHead head = HeadOf(entry);
        return head.FitsIn(entry.PayloadBytes) && head.KeyBytes == key.Length
            && new ReadOnlySpan<byte>(entry.Payload + EntryHead.SizeBytes, key.Length).SequenceEqual(key);
    }

    private static EntryInfo ReadValue<TReader>(Pile.EntryView entry, ref TReader reader)
        where TReader : struct, Pile.IPayloadReader, allows ref struct
    {
        EntryHead head = HeadOf(entry);
        int valueAt = EntryHead.SizeBytes + head.KeyBytes;
        long valueBytes = entry.PayloadBytes - valueAt;
        if (valueBytes < 0)
            return default; // the head changed since the key was compared; the caller will see it
        reader.Read(entry.Payload + valueAt, valueBytes, head.ValueKind);
        return new EntryInfo(head.Version, (int)valueBytes);
    }

    private PutResult SwingLocked(IndexShard shard, ulong hash, ReadOnlySpan<byte> key, ulong address, long payloadBytes)
    {
        if (!TryFindLocked(shard, hash, key, out ulong place, out IndexSlot old))
        {
            shard.AddLocked(hash, address, payloadBytes);
            return PutResult.Inserted;
        }
        long oldBytes = Pile.ViewEntry(old.Address).PayloadBytes;
        shard.SetLocked(place, new IndexSlot(hash, address), payloadBytes - oldBytes);
        if (Fault.FreedOutsideLock)
            shard.ExitLock();
        KillPoint.Pass(KillWindow.EntryBeforeOldFreed);
        Pile.FreeEntry(old.Address);
        if (Fault.FreedOutsideLock)
            shard.EnterLock();
        return PutResult.Replaced;
    }

    private bool TryFindLocked(IndexShard shard, ulong hash, ReadOnlySpan<byte> key, out ulong place, out IndexSlot slot)
    {
        ulong* array = shard.Array;
        ulong mask = IndexShard.Mask(array);
        for (place = hash & mask; ; place = (place + 1) & mask)
        {
            slot = IndexShard.Load(array, place);
            if (slot.IsUnused)
                return false;
            if (slot.MayBe(hash) && HasKey(Pile.ViewEntry(slot.Address), key))
                return true;
        }
    }

    private void CopyKey(ulong* array, ulong place, List<byte[]> keys)
    {
        IndexSlot slot = IndexShard.Load(array, place);
        if (slot.Address == 0)
            return;
        Pile.EntryView entry = Pile.ViewEntry(slot.Address);
        if (entry.IsNone || !HeadOf(entry).FitsIn(entry.PayloadBytes))
            return;
        byte[] key = KeyOf(entry).ToArray();
        if (entry.IsUnchanged())
            keys.Add(key);
    }
}
