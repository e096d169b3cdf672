using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Reads blocks that are not in the pile.</summary>
internal static unsafe class SpilledBlocks
{
    /// <summary>Reads the value of a block.</summary>
    internal static void ReadBlock<TReader>(this TableCore core, PileBuffer block, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        fixed (byte* payload = block.WrittenSpan)
        {
            var head = new EntryHead(payload);
            int valueBytes = block.LengthBytes - head.ValueOffset;
            info = core.Describe(head, valueBytes);
            reader.Read(payload + head.ValueOffset, valueBytes, EntryHead.BlockKindOf(head.Kind));
        }
    }

    /// <summary>The version of a block's entry.</summary>
    internal static ulong VersionOf(ReadOnlySpan<byte> block)
    {
        fixed (byte* payload = block)
            return new EntryHead(payload).Version;
    }

    /// <summary>Whether a block is a valid entry of a key. Data from a file is not trusted.</summary>
    internal static bool IsBlockOf(this TableCore core, in KeyProbe key, ReadOnlySpan<byte> block)
    {
        if (block.Length < EntryHead.ShortBytes)
            return false;
        fixed (byte* payload = block)
        {
            var head = new EntryHead(payload);
            return head.TableId == core.Id && head.TagCount <= EntryHead.MaxTags && head.FitsIn(block.Length)
                && new ReadOnlySpan<byte>(head.Key, head.KeyBytes).SequenceEqual(key.Bytes);
        }
    }

    /// <summary>Whether a block is a valid entry of a key, and not dead.</summary>
    internal static bool IsAliveBlockOf(this TableCore core, in KeyProbe key, ReadOnlySpan<byte> block) =>
        core.IsBlockOf(key, block) && !core.LivenessOf(block).IsDead();

    /// <summary>Reports and counts a dead entry.</summary>
    internal static void ReportDead(this TableCore core, ReadOnlySpan<byte> block, Liveness liveness)
    {
        fixed (byte* payload = block)
        {
            var head = new EntryHead(payload);
            Counter reason = liveness.Reason();
            core.Events.OnRemoved(head, block.Length, reason);
            core.Count(reason); // enters the table: the caller is outside
        }
    }

    /// <summary>Reports that an entry, counted as evicted before, is lost.</summary>
    internal static void ReportEvicted(this TableCore core, ReadOnlySpan<byte> block)
    {
        fixed (byte* payload = block)
            core.Events.OnRemoved(new EntryHead(payload), block.Length, Counter.Evictions);
    }

    /// <summary>Adds to a counter, from outside of critical regions.</summary>
    internal static void Count(this TableCore core, Counter counter, int delta = 1)
    {
        using ReadScope scope = core.EnterReader();
        core.Counters.Add(scope.Critical, counter, delta);
    }

    /// <summary>Whether the entry of a block is live.</summary>
    internal static Liveness LivenessOf(this TableCore core, ReadOnlySpan<byte> block)
    {
        Debug.Assert(block.Length >= EntryHead.ShortBytes, "A block begins with a head.");
        fixed (byte* payload = block)
        {
            long now = 0; // read if needed
            return core.LivenessOf(new EntryHead(payload), ref now);
        }
    }
}
