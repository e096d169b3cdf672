using System;
using System.Buffers;
using System.Collections.Generic;
using BigPile.Caching;

namespace BigPile.Torture.Tables;

/// <summary>A table of the run, whatever its keys are: here they are numbers.</summary>
internal interface IKeyTable
{
    CacheTable Table { get; }

    IEnumerable<int> Keys { get; }

    EntryInfo PutBytes(int key, byte[] value, EntryOptions? options);

    void Put(int key, byte[] value, EntryOptions? options);

    void PutMany(int[] keys, byte[][] values, EntryOptions? options);

    void PutPointer(int key, PilePointer pointer, EntryOptions? options);

    bool TryGetPointer(int key, out PilePointer pointer);

    bool Remove(int key);

    int RemoveMany(int[] keys);

    int GetMany(int[] keys);

    bool TryRead(int key, IBufferWriter<byte> destination, out EntryInfo info);

    bool TryGet(int key, out byte[]? value);

    bool TryLease(int key, out PileLease? lease);

    /// <summary>Has the table behave as options say, by asking for it with them.</summary>
    void GetAgain(TableOptions options);

    /// <summary>The entries that there are.</summary>
    FeedFrame List();

    /// <summary>Reads changes until there is nothing more.</summary>
    void Drain(FeedCursor from, Action<FeedFrame> give);

    /// <summary>Reads changes until the process ends.</summary>
    void Follow(FeedCursor from, Action<FeedFrame> give);
}
