using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Access;
using BigPile.Caching.Feed;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Typed;

/// <summary>One reader of a table's changes: the walk, and the feed that it hands over to.</summary>
/// <remarks>
/// The state is a version and a place: what the reader has is exact up to the version for all places before that one. A step of the walk
/// reads buckets after the version was taken, so whatever it misses has a record above it; then come the changes up to a watermark that is
/// taken behind the buckets. So the window has to outlast a step, never the walk. Owned by one thread at a time.
/// </remarks>
internal sealed partial class ChangeReader<TKey, TValue>(TypedTable<TKey, TValue> table, ChangeOptions options) : IDisposable
    where TKey : notnull
{
    private const ulong NoEnd = ulong.MaxValue;
    private static readonly TimeSpan Gathering = TimeSpan.FromMilliseconds(1); // what comes meanwhile is one batch

    private readonly FeedBatch _records = new();
    private FeedMerge? _merge; // of the present window; null at first
    private FeedPosition? _position; // as the statistics have it; null until it begins
    private ulong _version; // all changes up to it were given
    private ulong _place; // where the walk continues; its end: none is under way
    private ulong _lastStep; // where the last step of the walk began
    private ulong _endsAt = NoEnd; // the walk is over; the reader is told so once it has the changes up to this version
    private SpilledWalk? _spilled; // the entries in the file, while they are walked
    private bool _isBegun; // the version is that of a cursor, or the window has all changes above it
    private bool _isStepDue; // the changes up to a watermark behind the last step were given: however many come, the walk goes on

    private TableEngine Core => table.Core;

    private bool IsWalking => _place != WalkPlace.End || _spilled != null;

    // Until the end of the walk was told, a cursor leads to the last step: who continues there is told of the end.
    private FeedCursor Cursor => new(_merge!.Window.Epoch, _version, _endsAt == NoEnd ? CursorPlace : _lastStep);

    private ulong CursorPlace => _spilled == null ? _place : 0; // the file is walked as a whole

    /// <summary>Reads on until it is cancelled.</summary>
    internal async IAsyncEnumerable<ChangeBatch<TKey, TValue>> ReadAsync(
        FeedCursor from, [EnumeratorCancellation] CancellationToken stop)
    {
        await Core.Readiness.Completion.WaitAsync(stop).ConfigureAwait(false); // until then entries appear without a change
        if (_position == null && TryBegin(from) is { } missed)
            yield return missed;
        while (true)
        {
            stop.ThrowIfCancellationRequested();
            ChangeBatch<TKey, TValue>? batch = TryNext();
            Task? change = batch == null ? Core.Feed.Signal.Arm() : null;
            batch ??= TryNext();
            if (batch != null)
            {
                yield return batch;
                continue;
            }
            _records.Shrink();
            await change!.WaitAsync(stop).ConfigureAwait(false);
            await Task.Delay(Gathering, stop).ConfigureAwait(false);
        }
    }

    /// <summary>Begins at a cursor.</summary>
    /// <returns>What the reader has missed; null: nothing.</returns>
    /// <exception cref="InvalidOperationException">The table has no feed.</exception>
    internal ChangeBatch<TKey, TValue>? TryBegin(FeedCursor from)
    {
        Debug.Assert(_position == null, "A reader begins once.");
        if (options.Durable && Core.Heap.Directory is not { IsShared: false })
            throw new ArgumentException(
                $"ChangeOptions.Durable needs a pile that can be flushed, and the table '{Core.Name}' is in memory.", nameof(options));
        using (ReadScope scope = Core.EnterReader())
        {
            _merge = new FeedMerge(WindowNow());
            Core.Feed.AddReader(_position = new FeedPosition { Version = Bound() });
            if (options.Durable)
                Core.Heap.Flushed += Core.Feed.Signal.Raise;
            if (from == FeedCursor.Now)
                _place = WalkPlace.End;
            else if (from.Epoch == _merge.Window.Epoch && from.Version <= Core.Feed.LastVersion && from.Place <= WalkPlace.End)
                (_version, _place, _isBegun) = (from.Version, from.Place, true);
            else if (from != FeedCursor.Start)
                return Restart(from.Epoch);
            _ = IsBegun(); // at once: changes from here on are told
        }
        BeginSpilled();
        return null;
    }

    /// <summary>The next batch; null: there is nothing new.</summary>
    internal ChangeBatch<TKey, TValue>? TryNext()
    {
        while (true)
        {
            if (_version >= _endsAt) // first, as the walk is: however many changes come
            {
                _endsAt = NoEnd;
                return new(ChangeBatchKind.WalkEnd, [], Cursor);
            }
            if (_isStepDue && Walk() is { Count: not 0 } entries)
                return new(ChangeBatchKind.Walk, entries, Cursor);
            using (ReadScope scope = Core.EnterReader())
            {
                if (!IsBegun())
                    return null;
                if (!TryCopyRecords())
                    return Restart(_merge!.Window.Epoch);
            }
            if (_records.Count != 0)
                return new(ChangeBatchKind.Changes, Decode(), Cursor);
            if (!IsWalking && _version < _endsAt)
                return null;
        }
    }

    public void Dispose()
    {
        _spilled?.Dispose();
        if (_position == null)
            return;
        Core.Feed.RemoveReader(_position);
        if (options.Durable)
            Core.Heap.Flushed -= Core.Feed.Signal.Raise;
    }

    // A change that is under way, or not flushed, may be older than what the window has: then the reader waits for it, at the beginning.
    private bool IsBegun()
    {
        if (_isBegun)
            return true;
        _version = Bound();
        _isBegun = _version >= WindowNow().Floor;
        return _isBegun;
    }

    // False where changes were missed. The caller is in a critical region.
    private bool TryCopyRecords()
    {
        _records.Clear();
        bool isSame = _merge!.Window == WindowNow() && _spilled?.IsOverrun != true;
        bool isWhole = isSame && _merge.TryCopy(ref _version, Bound(), _records);
        _isStepDue = isWhole && !_records.IsFull && IsWalking;
        _position!.Version = _version;
        return isWhole;
    }

    private FeedWindow WindowNow()
    {
        FeedWindow? window = options.OnlyGone || !Core.Feed.IsOfListeners ? Core.Feed.Window : null;
        return window ?? throw new InvalidOperationException(
            $"The table '{Core.Name}' has no change feed. Set TableOptions.FeedBytes, such as 16 MiB, when it is created or configured.");
    }

    private ulong Bound()
    {
        ulong watermark = Core.Feed.Watermark();
        return options.Durable ? Math.Min(watermark, Core.Heap.FlushedVersion) : watermark;
    }

    // The caller may be in a critical region.
    private ChangeBatch<TKey, TValue> Restart(ulong epoch)
    {
        ulong flushedUpTo;
        using (ReadScope scope = Core.EnterReader())
        {
            FeedWindow window = WindowNow();
            _merge = new FeedMerge(window);
            // Who is told of what goes takes what is left of it.
            (_version, _isBegun) = options.OnlyGone ? (window.Floor, true) : (Bound(), false);
            (_place, _endsAt, _isStepDue) = (options.OnlyGone ? WalkPlace.End : 0, NoEnd, false);
            flushedUpTo = epoch == window.Epoch ? Core.Feed.LastVersion : epoch == window.Former.Epoch ? window.Former.FlushedUpTo : 0;
            _spilled?.Dispose();
            _spilled = null;
        }
        BeginSpilled();
        return new(ChangeBatchKind.Gap, [], Cursor) { FlushedUpTo = flushedUpTo };
    }
}
