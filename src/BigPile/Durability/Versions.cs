using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Numbers the entries of tables: each higher than every one before, also across restarts and kills.</summary>
/// <remarks>
/// Written to the file in steps, before the first version of a step is used. Derived from what is alive, the counter would go
/// backwards once the youngest entries were removed. A step is durable before it is used: the device may get entries at any time. It is
/// large, so that waiting for the device is seldom.
/// </remarks>
internal sealed class Versions
{
    /// <summary>The bits of a version below its millisecond.</summary>
    internal const int ClockShift = 20;

    /// <summary>How far ahead versions are reserved when they follow a clock: a second, as <see cref="Next(ulong)"/> is told.</summary>
    internal const ulong ClockStep = 1000UL << ClockShift;

    /// <summary>The highest version: the bit above has another meaning in the head of an entry.</summary>
    internal const ulong Max = ulong.MaxValue >> 1;

    private const ulong Step = 1 << 20;
    private const int FirstShift = 24;

    private readonly Lock _lock = new();
    private readonly Counter _counter = new();
    private readonly Action<ulong>? _raise;

    /// <summary>Goes on behind what was stored.</summary>
    /// <param name="pileId">A new pile begins at a number of its own: a version of another pile is not taken for one of this.</param>
    /// <param name="storedLimit">The end of the last step; 0 for a new pile.</param>
    /// <param name="raise">Makes the end of a step durable; nothing where versions end with the process.</param>
    internal Versions(Guid pileId, ulong storedLimit, Action<ulong>? raise)
    {
        _raise = raise;
        _counter.Last = _counter.Limit = storedLimit != 0 && !Mutation.VersionFromLive
            ? storedLimit
            : (ulong)(uint)BitConverter.ToInt32(pileId.ToByteArray()) << FirstShift;
    }

    /// <summary>The highest version that was given out.</summary>
    internal ulong Last => Volatile.Read(ref _counter.Last);

    /// <summary>The end of the step that is reserved.</summary>
    internal ulong Limit => Volatile.Read(ref _counter.Limit);

    /// <summary>The next version, by no clock. For tests.</summary>
    internal ulong Next() => Next(0);

    /// <summary>The next version that is at least a floor.</summary>
    /// <exception cref="PileException">There are no more versions.</exception>
    internal ulong Next(ulong floor)
    {
        if (Mutation.VersionFromLive)
            floor = 0; // versions by a clock would be right even with the fault that this control plants
        while (true)
        {
            ulong last = Volatile.Read(ref _counter.Last);
            if (last >= Max || floor > Max)
                ThrowUsedUp();
            ulong version = Math.Max(last + 1, floor);
            if (Interlocked.CompareExchange(ref _counter.Last, version, last) != last)
                continue;
            if (version > Volatile.Read(ref _counter.Limit))
                RaiseLimit(version, floor + ClockStep);
            Debug.Assert(version <= Volatile.Read(ref _counter.Limit), "After a kill the version would be given out again.");
            return version;
        }
    }

    /// <summary>Only for a control of the kill test: takes the counter from an entry that is alive.</summary>
    internal void RaiseTo(ulong version)
    {
        if (Mutation.VersionFromLive && version > _counter.Last)
            _counter.Last = _counter.Limit = version;
    }

    /// <summary>Goes on behind a limit that a flush knew of. Nobody counts yet.</summary>
    internal void Restore(ulong limit)
    {
        Debug.Assert(_counter.Last == _counter.Limit, "Versions were given out before all that were used are known.");
        _counter.Last = _counter.Limit = Math.Max(limit, _counter.Limit);
    }

    // From the clock's version and not from the last one: else each kill would leave the versions a step further ahead of the clock.
    private void RaiseLimit(ulong version, ulong least)
    {
        lock (_lock)
        {
            if (version <= _counter.Limit)
                return;
            ulong limit = Math.Min(Math.Max(version + Step, least), Max);
            _raise?.Invoke(limit);
            CrashPoints.Pass(CrashPoint.VersionsReservedBeforeUse);
            Debug.Assert(limit > _counter.Limit, "Steps only grow.");
            Volatile.Write(ref _counter.Limit, limit);
        }
    }

    [DoesNotReturn]
    private static void ThrowUsedUp() => throw new PileException(
        $"The pile has given out all versions of entries that there are, up to {Max:N0}: it was used under a clock that was set to the "
        + "year 2248. Nothing was changed, and all entries can be read. Copy the tables into a new pile.");

    /// <summary>An object of its own, so that counting does not take its neighbours' fields from the readers' caches.</summary>
    private sealed class Counter : CacheLineIsolated
    {
        internal ulong Last;
        internal ulong Limit;
    }
}
