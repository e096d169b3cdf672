using System;
using System.Collections.Generic;
using BigPile.Hash.Format;
using BigPile.Hash.Space;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Records;

/// <summary>What holds of chains, extents and sequences together.</summary>
internal sealed partial class RecordStore
{
    private const string Structure = "RecordStore";

    /// <summary>
    /// Checks all chains, and that the whole area is in use, pending or free; for tests, of a store that no call has failed to write, while
    /// nothing else uses it.
    /// </summary>
    /// <exception cref="InvalidOperationException">Something is wrong.</exception>
    internal void CheckInvariants(SeqLockStripes stripes)
    {
        File.CheckInvariants();
        var used = new List<Extent>();
        for (long bucket = 0; bucket < File.Layout.Buckets; bucket++)
            CheckChain(bucket, stripes, used);
        Invariant.Equal(Structure, 0, "number of records", stripes.Records, used.Count);
        PendingFrees.CheckInvariants(SyncedSequence, used);
        File.Extents.CheckInvariants(used, PendingFrees.DroppedBytes);
    }

    private void CheckChain(long bucket, SeqLockStripes stripes, List<Extent> used)
    {
        var location = new RecordLocation { Offset = File.ReadLink(File.Layout.LinkOf(bucket)) };
        if (location.Offset == 0)
            return;
        Span<byte> buffer = stackalloc byte[RecordFile.BufferBytes];
        var offsets = new HashSet<long>();
        var hashes = new HashSet<ulong>();
        long lastSequence = Math.Max(stripes[SeqLockStripes.IndexOf(File.Layout.FirstHashOf(bucket))].Sequence, SyncedSequence);
        for (; location.Offset != 0; location.Offset = location.Head.Next)
        {
            Invariant.True(Structure, location.Offset, "first visit of the chain", offsets.Add(location.Offset));
            Invariant.True(Structure, location.Offset, "head of a record", File.TryReadHead(buffer, ref location));
            Invariant.True(Structure, location.Offset, "record live", location.Head.Word.IsLive);
            Invariant.True(Structure, location.Offset, "record sound and of this bucket", File.IsSoundIn(bucket, buffer, location));
            Invariant.Between(Structure, location.Offset, "sequence", location.Head.Sequence, 1, lastSequence);
            var key = new byte[location.KeyLength];
            File.ReadPart(buffer, location, RecordHead.Bytes, key);
            Invariant.True(Structure, location.Offset, "key once in its chain", hashes.Add(KeyHash.Of(key, File.Layout.Seed)));
            used.Add(new Extent(location.Offset, location.Head.Word.Units << File.Layout.AlignmentShift));
        }
    }
}
