using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>What the bytes of a block say that is not in memory.</summary>
internal static unsafe class SpilledBlocks
{
    /// <summary>Reads the value of a block.</summary>
    internal static void ReadBlock<TReader>(PileBuffer block, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        fixed (byte* payload = block.WrittenSpan)
        {
            var head = new EntryHead(payload);
            int valueBytes = block.LengthBytes - head.ValueOffset;
            info = head.Describe(valueBytes);
            reader.Read(payload + head.ValueOffset, valueBytes, EntryHead.BlockKindOf(head.Kind));
        }
    }

    /// <summary>The version of a block's entry.</summary>
    internal static ulong VersionOf(ReadOnlySpan<byte> block)
    {
        fixed (byte* payload = block)
            return new EntryHead(payload).Version;
    }

    /// <summary>Whether a block is that of a key: what comes from a file is looked at before it is believed.</summary>
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

    /// <summary>Whether the entry of a block is no more.</summary>
    internal static bool IsDead(this TableCore core, ReadOnlySpan<byte> block)
    {
        Debug.Assert(block.Length >= EntryHead.ShortBytes, "A block begins with a head.");
        fixed (byte* payload = block)
        {
            long now = 0;
            return core.IsDead(new EntryHead(payload), ref now);
        }
    }
}
