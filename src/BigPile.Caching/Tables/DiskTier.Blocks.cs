using System;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;

namespace BigPile.Caching.Tables;

/// <summary>Reads blocks that are not in the pile.</summary>
internal sealed unsafe partial class DiskTier
{
    internal void ReadBlock<TReader>(PileBuffer block, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        fixed (byte* payload = block.WrittenSpan)
        {
            var head = new EntryHead(payload);
            int valueBytes = block.LengthBytes - head.ValueOffset;
            info = table.Liveness.Describe(head, valueBytes);
            reader.Read(payload + head.ValueOffset, valueBytes, EntryHead.BlockKindOf(head.Kind));
        }
    }

    internal static ulong VersionOf(ReadOnlySpan<byte> block)
    {
        fixed (byte* payload = block)
            return new EntryHead(payload).Version;
    }

    /// <summary>Whether a block is a valid entry of a key, and live.</summary>
    internal bool IsAliveBlockOf(in KeyProbe key, ReadOnlySpan<byte> block, bool readsStale = false) =>
        table.Entries.IsEntryOf(key, block) && table.Liveness.Of(block).IsReadable(readsStale);

    /// <summary>Reports and counts a dead entry.</summary>
    internal void ReportDead(ReadOnlySpan<byte> block, EntryState state) => ReportGone(block, state.Reason(), isCall: false);

    private void ReportGone(ReadOnlySpan<byte> block, Counter reason, bool isCall)
    {
        ChangeKind kind = Delete.KindOf(reason, isCall);
        fixed (byte* payload = block)
        {
            using ReadScope scope = table.EnterReader(); // the caller is outside
            if (kind != ChangeKind.None)
                table.Feed.TellGone(scope.Critical, kind, new EntryHead(payload), block.Length);
            table.Counters.Add(scope.Critical, reason);
        }
    }
}
