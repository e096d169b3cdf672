using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Checking;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching.Feed;

/// <summary>The change feed of a table: told of each change by the operation that makes it, under the lock that it holds.</summary>
/// <remarks>
/// Off, it costs an operation one load and a branch. It is turned on and off while no thread is in the table.
/// Thread safety: all members may be called concurrently, but those that say otherwise.
/// </remarks>
internal sealed unsafe partial class TableFeed(TableHeap heap, int tableId, FeedStorage storage, bool isKept) : IDisposable
{
    private MemoryFeedStorage? _ofListeners; // where the table has listeners, and no feed of its own; made for the first one
    private readonly List<FeedPosition> _readers = []; // its lock also keeps the window from being freed under who is not in the table
    private FeedWindow? _window; // null: off. Changes while no thread is in the table
    private Versions? _versions; // of the pile; where the feed is on
    private bool _copiesValues;

    internal FeedStorage Storage => storage;

    /// <summary>Whether somebody is told of removed entries: then there is a window in any case.</summary>
    internal bool IsListened { get; private set; }

    /// <summary>Somebody is, from the next configuration on.</summary>
    internal void SetListened() => IsListened = true;

    /// <summary>Wakes readers.</summary>
    internal FeedSignal Signal { get; } = new();

    /// <summary>Whether changes are recorded. The caller is in a critical region of the table.</summary>
    internal bool IsOn
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _window != null;
    }

    /// <summary>The window; null: off. The caller is in a critical region of the table while it uses it.</summary>
    internal FeedWindow? Window => _window;

    /// <summary>The bytes of the window.</summary>
    internal long SizeBytes => storage.LengthBytes + (_ofListeners?.LengthBytes ?? 0);

    /// <summary>The last version that was drawn, loaded before lanes are looked at.</summary>
    /// <remarks>
    /// Not above the reserved limit: a version there is drawn, but not used. After a kill it is drawn again, and who had read up to it
    /// would miss its change.
    /// </remarks>
    internal ulong LastVersion => Math.Min(heap.Versions.Last, heap.Versions.Limit);

    /// <summary>Turns the feed on or off. No thread is in the table.</summary>
    /// <param name="bytes">The bytes of the window; null: none, unless there are listeners.</param>
    /// <param name="copiesValues">Whether records have values.</param>
    /// <exception cref="System.IO.IOException">The disk is full, or the directory can't be written; the feed is off.</exception>
    internal void Configure(long? bytes, bool copiesValues)
    {
        _copiesValues = copiesValues;
        try
        {
            if (bytes != null && _ofListeners != null)
                Change(_ofListeners, 0); // first: what is freed leaves no window
            Change(storage, bytes ?? 0);
            if (bytes == null && IsListened)
                Change(_ofListeners ??= new MemoryFeedStorage(), FeedWindow.LeastBytes);
        }
        finally
        {
            Signal.Raise(); // also where there is none now: who waits is told so
        }
    }

    /// <summary>Whether the window is there for listeners only.</summary>
    internal bool IsOfListeners => _ofListeners is { LengthBytes: not 0 };

    /// <summary>Begins an epoch, as the window that was found has lost what it had. The table is not in use yet.</summary>
    /// <param name="bytes">The length.</param>
    /// <param name="former">The window's epoch, and what is left of the table.</param>
    /// <exception cref="System.IO.IOException">The disk is full, or the directory can't be written.</exception>
    internal void BeginAnew(long bytes, FormerFeed former) => Make(storage, bytes, former);

    /// <summary>Continues with the window that an earlier process left, if it can be read. The table was recovered, and is not in
    /// use.</summary>
    /// <param name="isMade">Whether the table has the change of a record.</param>
    internal bool TryContinue(FeedRecordCheck isMade)
    {
        var head = (FeedHead*)storage.Start;
        if (!isKept || head == null || !head->IsOf(heap.Id, tableId, storage.LengthBytes) || !head->IsKept)
            return false;
        var window = new FeedWindow(storage.Start);
        window.UndoTaking();
        if (!window.IsSound(heap.Versions.Last))
            return false;
        window.Recover(isMade);
        head->ClosedUse = default;
        _versions = heap.Versions;
        _window = window;
        return true;
    }

    private void Change(FeedStorage place, long bytes)
    {
        if ((bytes == 0 ? 0 : FeedWindow.LengthFor(bytes)) == place.LengthBytes)
            return;
        var former = new FormerFeed(place.LengthBytes == 0 ? 0 : _window?.Epoch ?? 0, LastVersion); // nothing is lost
        lock (_readers) // for the statistics, which no pause of the table waits for
        {
            _window = null;
            place.Delete();
        }
        if (bytes != 0)
            Make(place, bytes, former);
    }

    private void Make(FeedStorage place, long bytes, FormerFeed former)
    {
        _window = null;
        long length = FeedWindow.LengthFor(bytes);
        if (place.OutlivesProcess)
            heap.Use(Feature.ChangeFeeds);
        place.Create(length);
        ((FeedHead*)place.Start)->Begin(heap.Id, tableId, length, isKept, LastVersion, former);
        _versions = heap.Versions;
        _window = new FeedWindow(place.Start);
    }

    /// <summary>Enters a lane for a change: behind this its version is drawn. The feed is on.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal FeedLane* Enter(CriticalRegion critical) => _window!.Enter(critical.Number, _versions!);

    /// <summary>Appends the record of a put whose version was drawn in this lane, before the index leads to the entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void TellPut(FeedLane* lane, byte* payload, long payloadBytes, bool isPlain, int keyBytes, ulong version, ChangeKind kind)
    {
        if (isPlain && !_copiesValues)
            _window!.AppendPlain(lane, version, kind, payload + EntryHead.ShortBytes, keyBytes);
        else
            TellPut(lane, new EntryHead(payload), payloadBytes, kind);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void TellPut(FeedLane* lane, in EntryHead head, long payloadBytes, ChangeKind kind)
    {
        int words = head.MayBeDead ? 1 + head.TagCount : 0;
        var value = default(ReadOnlySpan<byte>);
        bool hasValue = _copiesValues && head.Kind != ValueKind.Pointer && payloadBytes - head.ValueOffset <= _window!.MostValueBytes;
        if (hasValue)
            value = new ReadOnlySpan<byte>((byte*)head.Payload + head.ValueOffset, (int)(payloadBytes - head.ValueOffset));
        int bytes = FeedRecord.BytesFor(words, head.KeyBytes) + (hasValue ? FeedRecord.BytesForValue(value.Length) : 0);
        byte* at = _window!.Reserve(lane, head.Version, bytes, out ulong distance);
        ulong* to = FeedRecord.Write(
            at, distance, kind, words, new ReadOnlySpan<byte>(head.Key, head.KeyBytes), hasValue);
        if (words != 0)
            *to++ = (ulong)head.ExpiresAt;
        for (int i = 0; i < words - 1; i++)
            *to++ = head.Tag(i);
        if (hasValue)
            FeedRecord.WriteValue(at + FeedRecord.BytesFor(words, head.KeyBytes), value, (byte)head.Kind);
        _window.Append(lane, head.Version, bytes);
    }

    /// <summary>Draws a version, and appends the record of an entry that is about to go. The lane was entered.</summary>
    internal void AppendGone(FeedLane* lane, ChangeKind kind, in EntryHead head, long payloadBytes)
    {
        ulong version = _versions!.Next(0); // the counter only: removals need no clock
        _window!.AppendPlain(
            lane, version, kind, head.Key, head.KeyBytes, [head.Version, (ulong)(payloadBytes - head.ValueOffset), (ulong)head.ExpiresAt]);
    }

    /// <summary>Tells of an entry that has gone, or is dead. The caller is in a critical region.</summary>
    internal void TellGone(CriticalRegion critical, ChangeKind kind, in EntryHead head, long payloadBytes)
    {
        if (_window == null)
            return;
        FeedLane* lane = Enter(critical);
        bool isMade = false;
        try
        {
            AppendGone(lane, kind, head, payloadBytes);
            isMade = true;
        }
        finally
        {
            Leave(lane, isMade);
        }
    }

    /// <summary>Appends the record of a mark whose version was drawn in this lane: of tags, or of all entries.</summary>
    internal void TellMarked(FeedLane* lane, ulong version, ReadOnlySpan<ulong> tags, bool isOfAll)
    {
        Debug.Assert(!tags.IsEmpty && version >= lane->InFlight, "The version was drawn in the lane.");
        int words = isOfAll ? 0 : tags.Length;
        int bytes = FeedRecord.BytesFor(words, 0);
        byte* at = _window!.Reserve(lane, version, bytes, out ulong distance);
        ulong* to = FeedRecord.Write(at, distance, isOfAll ? ChangeKind.Cleared : ChangeKind.TagRemoved, words, default, hasValue: false);
        tags[..words].CopyTo(new Span<ulong>(to, words));
        _window.Append(lane, version, bytes);
    }

    /// <summary>Leaves a lane.</summary>
    /// <param name="lane">The lane.</param>
    /// <param name="isMade">Whether the change was made; else its record, if there is one, is taken back.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Leave(FeedLane* lane, bool isMade)
    {
        if (!isMade)
            _window!.Withdraw(lane);
        CrashPoints.Pass(CrashPoint.FeedBeforeLeft);
        FeedWindow.Leave(lane);
        Signal.Raise();
    }

    /// <summary>Tells all readers that they have missed something: no record tells of what the table has lost, or found again.</summary>
    internal void Lose()
    {
        if (_window is not { } window)
            return;
        window.Lose(heap.Versions.Next(0)); // above what any reader has read
        Signal.Raise();
    }

    /// <summary>The version up to which all changes are in the table, and their records in the window.</summary>
    internal ulong Watermark()
    {
        ulong last = LastVersion; // first
        return _window!.Watermark(last);
    }

    internal void AddReader(FeedPosition position)
    {
        lock (_readers)
            _readers.Add(position);
    }

    internal void RemoveReader(FeedPosition position)
    {
        lock (_readers)
            _ = _readers.Remove(position);
    }

    /// <summary>Checks the invariants while no thread is in the table. For tests.</summary>
    internal void CheckInvariants() => _window?.CheckInvariants();

    /// <summary>Frees the window; one in a file stays. No thread is in the table any more.</summary>
    public void Dispose()
    {
        lock (_readers)
        {
            _window = null;
            storage.Dispose();
            _ofListeners?.Dispose();
        }
        Signal.Raise();
    }
}
