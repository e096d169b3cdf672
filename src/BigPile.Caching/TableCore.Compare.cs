using System;
using System.Collections.Generic;
using System.Numerics;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>Comparing keys by code of the application, which never runs inside the pile or under a lock.</summary>
internal sealed unsafe partial class TableCore
{
    /// <summary>Copies the keys that a lookup of a hash may meet.</summary>
    internal void CopyKeys(ulong hash, List<byte[]> found)
    {
        ThreadPresence presence = Enter();
        try
        {
            Bucket* bucket = _index.Lock(hash, out _);
            try
            {
                CopyKeysLocked(bucket, IndexSlot.TagOf(hash), found);
            }
            finally
            {
                bucket->Unlock();
            }
        }
        finally
        {
            Pile.Space.Exit(presence);
        }
    }

    private void CopyKeysLocked(Bucket* bucket, ulong tag, List<byte[]> found)
    {
        for (Bucket* line = bucket; line != null; line = _index.Next(line))
        {
            for (uint match = Bucket.Match(line, tag); match != 0; match &= match - 1)
            {
                IndexSlot slot = Bucket.Load(line, BitOperations.TrailingZeroCount(match));
                if (!slot.IsEmpty && TryViewLocked(slot, out Entries.EntryHead head, out _))
                    found.Add(new ReadOnlySpan<byte>(head.Key, head.KeyBytes).ToArray());
            }
        }
    }

    /// <summary>Does what a call lacked inside, once it is outside.</summary>
    /// <returns>How often it has flushed by now.</returns>
    private int PrepareAgain(in KeyProbe key, bool hasRoom, int flushes)
    {
        if (!hasRoom)
            return Pile.Space.Room.MakeRoom(flushes);
        key.Matcher!.Learn();
        return flushes;
    }

    /// <summary>
    /// Leaves the pile for a read's comparisons, and comes back. Whatever happens, the caller is inside afterwards, and has to leave.
    /// </summary>
    private void LeaveToCompare(ThreadPresence presence, KeyMatcher matcher)
    {
        Pile.Space.Exit(presence);
        try
        {
            matcher.Learn();
            _ = EnterToRead();
        }
        catch
        {
            presence.Enter(); // touches nothing
            throw;
        }
    }
}
