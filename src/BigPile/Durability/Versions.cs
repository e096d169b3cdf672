using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using BigPile.Checking;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Durability;

/// <summary>Hands out entry versions: each higher than all before, across restarts and kills.</summary>
/// <remarks>
/// The limit is stored in the superblock in steps. Deriving the counter from live entries instead would let it go backwards after the
/// youngest were removed. Steps are large, and while versions follow a clock the background takes the next one ahead: only the first change
/// after a pause waits for the device.
/// </remarks>
internal sealed class Versions
{
    /// <summary>The bits of a version below its millisecond.</summary>
    internal const int ClockShift = 20;

    /// <summary>How far ahead versions are reserved when they follow a clock: two seconds.</summary>
    internal const ulong ClockStep = 2000UL << ClockShift;

    /// <summary>The highest version: the bit above means something else in an entry's header.</summary>
    internal const ulong Max = ulong.MaxValue >> 1;

    private const ulong Step = 1 << 20; // versions reserved by one write, without a clock
    private const int FirstShift = 24; // a new pile starts at 32 bits of its id, so many bits up

    private readonly Lock _lock = new(); // held while a step is reserved: others that need it wait
    private readonly Action<Action>? _queue; // runs work in the background; null: nothing is reserved ahead
    private int _isQueued; // 1 while that work is queued; interlocked
    private bool _isOver; // under the lock
    private readonly Counter _counter = new(); // the last version, and the reserved limit
    private readonly Action<ulong>? _raise; // writes the superblock; null without a file

    /// <summary>Continues after the stored limit.</summary>
    /// <param name="pileId">
    /// The pile's id: a new pile starts at a number derived from it, so that versions of different piles are not confused.
    /// </param>
    /// <param name="storedLimit">The end of the last reserved step; 0 for a new pile.</param>
    /// <param name="raise">Stores the end of a step durably; null if versions end with the process.</param>
    /// <param name="queue">Runs work in the background; null: nothing is reserved ahead.</param>
    internal Versions(Guid pileId, ulong storedLimit, Action<ulong>? raise, Action<Action>? queue = null)
    {
        _raise = raise;
        _queue = queue;
        _counter.Last = _counter.Limit = storedLimit != 0 && !Mutation.VersionFromLive
            ? storedLimit
            : (ulong)(uint)BitConverter.ToInt32(pileId.ToByteArray()) << FirstShift;
    }

    /// <summary>The highest version handed out.</summary>
    internal ulong Last => Volatile.Read(ref _counter.Last);

    /// <summary>The end of the reserved step.</summary>
    internal ulong Limit => Volatile.Read(ref _counter.Limit);

    /// <summary>The next version, without a clock. For tests.</summary>
    internal ulong Next() => Next(0);

    /// <summary>The next version, at least a floor.</summary>
    /// <exception cref="PileException">There are no more versions.</exception>
    internal ulong Next(ulong floor)
    {
        if (Mutation.VersionFromLive)
            floor = 0; // versions from a clock would be right even with this mutation
        while (true)
        {
            ulong last = Volatile.Read(ref _counter.Last);
            if (last >= Max || floor > Max)
                ThrowUsedUp();
            ulong version = Math.Max(last + 1, floor);
            if (Interlocked.CompareExchange(ref _counter.Last, version, last) != last)
                continue;
            // Taken, not used yet: a version above the limit is used only when the superblock has the new limit, as the device may get
            // its entry at any time. A failure leaves a number that is skipped.
            if (version > Volatile.Read(ref _counter.Limit))
                RaiseLimit(version, floor + ClockStep);
            else if (version > Volatile.Read(ref _counter.AheadFrom) && floor != 0 && Interlocked.Exchange(ref _isQueued, 1) == 0)
                _queue!(RaiseAhead);
            Debug.Assert(version <= Volatile.Read(ref _counter.Limit), "After a kill the version would be handed out again.");
            return version;
        }
    }

    /// <summary>Only for a mutation of the kill test: takes the counter from a live entry.</summary>
    internal void RaiseTo(ulong version)
    {
        if (Mutation.VersionFromLive && version > _counter.Last)
            _counter.Last = _counter.Limit = version;
    }

    /// <summary>Continues after a limit that a flush recorded. No version is handed out yet.</summary>
    internal void Restore(ulong limit)
    {
        Debug.Assert(_counter.Last == _counter.Limit, "Versions were handed out before recovery knows all that were used.");
        _counter.Last = _counter.Limit = Math.Max(limit, _counter.Limit);
    }

    // Reserve from the clock's version, not from the last limit: otherwise each kill would move versions a step further ahead of the clock.
    private void RaiseLimit(ulong version, ulong least)
    {
        lock (_lock)
        {
            if (version <= _counter.Limit) // another thread has reserved it meanwhile
                return;
            ulong limit = Math.Min(Math.Max(version + Step, least), Max);
            _raise?.Invoke(limit);
            CrashPoints.Pass(CrashPoint.VersionsReservedBeforeUse);
            Debug.Assert(limit > _counter.Limit, "Steps only grow.");
            // Behind the superblock: who sees the limit may use what is below. A kill in between leaves unused numbers.
            Volatile.Write(ref _counter.Limit, limit);
            Volatile.Write(ref _counter.AheadFrom, _queue == null ? Max : limit - Math.Min(limit, ClockStep / 2));
        }
    }

    private void RaiseAhead()
    {
        try
        {
            lock (_lock)
            {
                ulong last = Last;
                if (!_isOver && last > _counter.AheadFrom && last <= _counter.Limit)
                    RaiseLimit(_counter.Limit + 1, last + ClockStep);
            }
        }
        finally
        {
            Volatile.Write(ref _isQueued, 0);
        }
    }

    /// <summary>Nothing is reserved ahead from here on.</summary>
    internal void End()
    {
        lock (_lock)
            _isOver = true;
    }

    [DoesNotReturn]
    private static void ThrowUsedUp() => throw new PileException(
        $"The pile has given out all versions of entries that there are, up to {Max:N0}: it was used under a clock that was set to the "
        + "year 2248. Nothing was changed, and all entries can be read. Copy the tables into a new pile.");

    /// <summary>A separate object on its own cache lines: counting must not evict the neighbouring fields from readers' caches.</summary>
    private sealed class Counter : CacheLineIsolated
    {
        // The highest version handed out; advanced by compare-exchange.
        internal ulong Last;
        // The end of the reserved step; raised under _lock, after it is durable.
        internal ulong Limit;
        // From here on the next step is reserved in the background; under _lock.
        internal ulong AheadFrom = Max;
    }
}
