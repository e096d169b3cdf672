using System.Collections.Generic;
using BigPile.Access;
using BigPile.Caching;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;

namespace BigPile.Torture.Tables;

/// <summary>The blocks that the tables of a cache lead to. Nobody changes them.</summary>
internal sealed unsafe class EntryOwners
{
    private readonly Pile _pile;

    internal EntryOwners(PileCache cache)
    {
        _pile = cache.Pile;
        foreach (TableEngine core in cache.Engines())
        {
            Entries.UnionWith(core.Tags.Addresses());
            using (core.EnterReader())
                AddAll(core.Index);
        }
    }

    /// <summary>Addresses of entries and marks.</summary>
    internal HashSet<ulong> Entries { get; } = [];

    /// <summary>Objects that entries own.</summary>
    internal HashSet<ulong> Owned { get; } = [];

    internal List<ulong> OwnedTwice { get; } = [];

    private void AddAll(TableIndex index)
    {
        for (ulong number = 0; number < index.BucketCount; number++)
        {
            for (Bucket* line = index.At(number); line != null; line = index.Next(line))
            {
                for (int slot = 0; slot < Bucket.SlotCount; slot++)
                    Add(Bucket.Load(line, slot));
            }
        }
    }

    private void Add(IndexSlot slot)
    {
        if (slot.IsEmpty)
            return;
        Entries.Add(slot.Address);
        BlockSnapshot view = _pile.Tables.View(slot.Address);
        if (view.IsNone)
            return;
        var head = new EntryHead(view.Payload);
        if (head.Kind != ValueKind.Pointer)
            return;
        ulong pointer = *(ulong*)(head.Key + head.KeyBytes);
        if (!Owned.Add(pointer))
            OwnedTwice.Add(pointer);
    }
}
