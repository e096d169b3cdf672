using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using BigPile.Allocation;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Tables;

namespace BigPile.Caching.Tags;

/// <summary>Tag marks: for each removed tag the version up to which entries with it are dead, even if their blocks still exist.</summary>
/// <remarks>
/// An entry holds the hashes of its tags; there is no map from a tag to its entries. So removing a tag costs one mark for any number of
/// entries, and a tag that is never removed costs nothing. A mark is a block of its own, and survives a restart. When a sweep has visited
/// the whole table, no entry is left that is older than the marks from its start, and these are dropped. Two tags with the same 64-bit hash
/// are removed together. Earlier versions hashed tags with a seed of the pile, so a table that was found in a pile gets a mark for that
/// hash as well.
/// Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="heap">The pile that stores the marks.</param>
/// <param name="tableId">The table whose entries they concern.</param>
/// <param name="index">Its index, whose list of marks points to their blocks if it outlives the process.</param>
internal sealed unsafe partial class TagMarks(TableHeap heap, int tableId, TableIndex index)
{
    /// <summary>Stands for all entries, tagged or not; no tag has this hash.</summary>
    internal const ulong AllTag = 0;

    private const int UsualMarks = 256;
    private const int MarkBytes = EntryHead.ShortBytes + sizeof(ulong);

    private readonly Lock _lock = new(); // guards all that follows, and the list of marks in the index
    private readonly Dictionary<ulong, TagMark> _marks = []; // by the hash of the tag
    private readonly KeyHash _seededHash = new(BitConverter.ToUInt64(heap.Id.ToByteArray())); // of earlier versions
    private ulong _clearedUpTo; // entries up to this version are dead; read without the lock
    private ulong _lastVersion; // the highest version of a mark, 0: no marks; read without the lock
    private ulong _formerUpTo; // marks up to this version belong to a dropped table of the same id

    /// <summary>Ignores entries and marks up to a version: a dropped table had the id before. The table is not in use yet.</summary>
    internal void ForgetUpTo(ulong version) => _formerUpTo = _clearedUpTo = version;

    /// <summary>Entries up to this version are dead, whatever their tags.</summary>
    internal ulong ClearedUpTo => Volatile.Read(ref _clearedUpTo);

    /// <summary>
    /// The version of the last published mark; and whether a mark concerns all entries, so also those without tag or expiry.
    /// </summary>
    internal (ulong LastVersion, bool IsOfAll) Described
    {
        get
        {
            lock (_lock)
                return (_lastVersion, _marks.ContainsKey(AllTag));
        }
    }

    /// <summary>The version of a tag's mark; 0: it has none.</summary>
    internal ulong MarkOf(ulong tag)
    {
        lock (_lock)
            return _marks.TryGetValue(tag, out TagMark mark) ? mark.Version : 0;
    }

    internal int Count
    {
        get
        {
            lock (_lock)
                return _marks.Count;
        }
    }

    /// <summary>The number of marks that fit into the memory allocated for them. The lock is held, or no other thread is here.</summary>
    internal int CapacityLocked => _marks.Capacity;

    /// <summary>Whether one of an entry's tags was removed since the entry was put.</summary>
    internal bool IsMarked(in EntryHead head)
    {
        if (head.Version >= Volatile.Read(ref _lastVersion))
            return false;
        lock (_lock)
            return IsMarkedLocked(head);
    }

    /// <summary>
    /// Whether one of an entry's tags, or everything, was removed since it was put. A mark that this call misses gets a version above any
    /// that the caller has drawn.
    /// </summary>
    internal bool IsRemoved(in EntryHead head)
    {
        lock (_lock)
            return head.Version <= _clearedUpTo || IsMarkedLocked(head);
    }

    private bool IsMarkedLocked(in EntryHead head)
    {
        for (int i = 0; i < head.TagCount; i++)
        {
            if (_marks.TryGetValue(head.Tag(i), out TagMark mark) && mark.Version > head.Version)
                return true;
        }
        return false;
    }

    /// <summary>Drops the marks up to a version: no entry that they concern is left. The caller is in a critical region.</summary>
    internal void DropUpTo(ulong version, bool allOnly)
    {
        lock (_lock)
        {
            foreach ((ulong tag, TagMark mark) in _marks.Where(
                pair => pair.Value.Version <= version && (!allOnly || pair.Key == AllTag)).ToArray())
            {
                _marks.Remove(tag);
                ForgetLocked(mark);
            }
            GiveBackLocked();
        }
    }

    /// <summary>
    /// Adds a mark that a walk found in the pile. Of two marks of one tag it frees the older. The caller is in a critical region.
    /// </summary>
    internal void AddFound(in EntryHead head, ulong address)
    {
        ulong tag = TagOf(head);
        lock (_lock)
        {
            if (!IsMarkLocked(address, head.Version))
                return; // freed since the walk read it
            if (head.Version <= _formerUpTo)
            {
                heap.Free(address);
                return;
            }
            bool isKnown = _marks.TryGetValue(tag, out TagMark known);
            if (isKnown && known.Address == address)
                return;
            if (isKnown && known.Version >= head.Version)
            {
                heap.Free(address);
                return;
            }
            PileException? failure = null;
            SlotPlace place = isKnown ? known.Place : TakePlaceLocked(out failure);
            if (failure != null)
                throw failure;
            Lead(place, address);
            Remember(tag, new TagMark(head.Version, address, place));
            if (isKnown)
                heap.Free(known.Address);
        }
    }

    /// <summary>The addresses of the marks' blocks.</summary>
    internal ulong[] Addresses()
    {
        lock (_lock)
            return [.. _marks.Values.Select(static mark => mark.Address)];
    }

    /// <summary>Removes all present entries that have one of some tags, by marks. The caller is in a critical region.</summary>
    /// <param name="tags">The hashes of the tags.</param>
    /// <param name="floor">The version of the marks is above this one.</param>
    /// <param name="drawn">Called with the version of the marks before they are published.</param>
    /// <param name="failure">Why nothing was done: the pile is full.</param>
    /// <returns>The version up to which the entries are dead.</returns>
    internal ulong Publish(ReadOnlySpan<ulong> tags, ulong floor, Action<ulong>? drawn, out PileException? failure)
    {
        lock (_lock)
            return PublishLocked(tags, floor, drawn, out failure);
    }

    private ulong PublishLocked(ReadOnlySpan<ulong> tags, ulong floor, Action<ulong>? drawn, out PileException? failure)
    {
        failure = null;
        Span<Slot> slots = stackalloc Slot[tags.Length];
        Span<SlotPlace> places = stackalloc SlotPlace[tags.Length];
        int written = 0;
        ulong version = 0;
        try
        {
            for (; written < tags.Length; written++)
            {
                places[written] = _marks.TryGetValue(tags[written], out TagMark known) ? known.Place : TakePlaceLocked(out failure);
                if (failure == null)
                    slots[written] = Write(tags[written], out failure);
                if (failure != null)
                    return 0;
            }
            version = heap.Versions.Next(floor);
        }
        finally
        {
            for (int i = 0; version == 0 && i < written; i++)
                heap.Abandon(slots[i], MarkBytes);
            for (int i = 0; version == 0 && i < tags.Length; i++)
            {
                if (places[i].Line != null && places[i].Value.IsEmpty)
                    _places!.Return(places[i]);
            }
        }
        drawn?.Invoke(version);
        for (int i = 0; i < tags.Length; i++)
        {
            PublishLocked(tags[i], slots[i], places[i], version);
            CrashPoints.Pass(CrashPoint.TagBetweenMarks);
        }
        return version;
    }

    /// <summary>The hash of a tag in earlier versions.</summary>
    internal ulong SeededHashOf(string tag)
    {
        ulong hash = _seededHash.Of(Encoding.UTF8.GetBytes(tag));
        return hash == AllTag ? 1 : hash;
    }

    private Slot Write(ulong tag, out PileException? failure)
    {
        ReadOnlySpan<byte> key = MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in tag));
        Slot slot = heap.Take(PileRegions.Current, MarkBytes, isEvictable: false, out failure);
        if (failure != null)
            return slot;
        byte* payload = slot.Start + BlockHeader.SizeBytes;
        EntryHead.Write(payload, tableId, key.Length, ValueKind.TagMark, EntrySpec.Plain);
        key.CopyTo(new Span<byte>(payload + EntryHead.ShortBytes, key.Length));
        return slot;
    }

    private void PublishLocked(ulong tag, Slot slot, SlotPlace place, ulong version)
    {
        EntryHead.SetVersion(slot.Start + BlockHeader.SizeBytes, version);
        bool isKnown = _marks.TryGetValue(tag, out TagMark known);
        Debug.Assert(!isKnown || known.Version < version, "A later mark has a higher version.");
        if (Mutation.MarkFreedFirst && isKnown)
            heap.Free(known.Address);
        Intent* intent = _intents == null
            ? null
            : _intents.BeginTagMark(PileRegions.Current, tableId, slot.Address, known.Address, known.Version);
        CrashPoints.Pass(CrashPoint.MarkBeforePublish);
        heap.Publish(slot, MarkBytes);
        CrashPoints.Pass(CrashPoint.MarkBeforeOldFreed);
        Lead(place, slot.Address);
        Remember(tag, new TagMark(version, slot.Address, place));
        if (isKnown && !Mutation.MarkFreedFirst)
            heap.Free(known.Address);
        if (intent != null)
            _intents!.End(intent);
    }

    // A dictionary does not shrink by itself. Version 0 spares readers the lock when there are no marks.
    private void GiveBackLocked()
    {
        if (CapacityLocked > UsualMarks && _marks.Count < CapacityLocked / 4)
            _marks.TrimExcess(Math.Max(UsualMarks, _marks.Count * 2));
        if (_marks.Count == 0)
            Volatile.Write(ref _lastVersion, 0);
    }

    private void Remember(ulong tag, TagMark mark)
    {
        _marks[tag] = mark;
        if (tag == AllTag)
            Volatile.Write(ref _clearedUpTo, Math.Max(_clearedUpTo, mark.Version));
        Volatile.Write(ref _lastVersion, Math.Max(_lastVersion, mark.Version));
    }

    private readonly record struct TagMark(ulong Version, ulong Address, SlotPlace Place);
}
