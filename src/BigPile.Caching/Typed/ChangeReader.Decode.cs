using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Feed;
using BigPile.Caching.Keys;

namespace BigPile.Caching.Typed;

/// <summary>Records as changes with typed keys and values. No lock is held, as codecs are application code.</summary>
internal sealed partial class ChangeReader<TKey, TValue>
{
    private bool IsOfListeners => options.OnlyGone;

    private List<Change<TKey, TValue>> Decode()
    {
        var changes = new List<Change<TKey, TValue>>(options.OnlyGone ? 0 : _records.Count);
        var decoder = new Decoder(this, changes);
        _records.ForEach(ref decoder);
        return changes;
    }

    private Change<TKey, TValue> Decode(in FeedRecord record, ulong version)
    {
        ReadOnlySpan<ulong> words = record.Words;
        var change = new Change<TKey, TValue> { Kind = record.Kind, Version = version };
        switch (record.Kind)
        {
            case ChangeKind.Cleared:
                return change with { GoneUpTo = version };
            case ChangeKind.TagRemoved:
                return change with { GoneUpTo = version, TagHashes = words.ToArray() };
            case ChangeKind.Added or ChangeKind.Replaced:
                change = change with { Key = table.Keys.Decode(record.Key) };
                if (!words.IsEmpty)
                    change = change with { ExpiresAt = ExpiryOf((long)words[0], version), TagHashes = words[1..].ToArray() };
                if (!options.Values)
                    return change;
                return record.HasValue
                    ? change with { Value = table.ValueOf(record.Value, (ValueKind)record.ValueKind, change.Key), HasValue = true }
                    : WithValue(change);
            default:
                return change with
                {
                    Key = table.Keys.Decode(record.Key),
                    GoneUpTo = words[0],
                    Info = Core.Clock.Describe(words[0], (int)words[1], StepsOn((long)words[2], words[0])),
                };
        }
    }

    // With the present value, if it is the one that was put.
    private Change<TKey, TValue> WithValue(in Change<TKey, TValue> change)
    {
        Unsafe.SkipInit(out KeyBuffer buffer);
        Span<byte> stack = buffer;
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer value);
        return Core.Peek.TryCopyValue(table.Keys.Probe(change.Key, stack), change.Version, value, out ValueKind kind)
            ? change with { Value = table.ValueOf(value.WrittenSpan, kind, change.Key), HasValue = true }
            : change;
    }

    private DateTimeOffset? ExpiryOf(long ticks, ulong version) =>
        InstantOf(StepsOn(ticks, version));

    private long StepsOn(long ticks, ulong version) =>
        ticks == long.MaxValue ? ticks : CacheClock.Add(ticks, Core.Clock.StepsSince(version));

    private DateTimeOffset? InstantOf(long ticks) =>
        ticks == long.MaxValue ? null : new DateTimeOffset(Core.Clock.ToSystem(ticks), TimeSpan.Zero);

    private void TryDecodeGone(FeedRecord record, ulong version, List<Change<TKey, TValue>> changes)
    {
        if (record.Kind is ChangeKind.Expired or ChangeKind.Evicted)
            _ = Core.Heap.Background.TryRun(
                $"the reading of the key of a removed entry of the table '{Core.Name}'", () => changes.Add(Decode(record, version)));
    }

    private readonly struct Decoder(ChangeReader<TKey, TValue> reader, List<Change<TKey, TValue>> changes) : IFeedVisitor
    {
        public void Visit(in FeedRecord record, ulong version)
        {
            if (reader.IsOfListeners)
                reader.TryDecodeGone(record, version, changes);
            else
                changes.Add(reader.Decode(record, version));
        }
    }
}
