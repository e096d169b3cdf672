using System;
using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Flights;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tags;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>Runs of factories: the older result never wins.</summary>
/// <remarks>
/// A run keeps its value only if its key was neither put nor removed since it began. A put is seen by the version of what it left, under
/// the lock of the bucket. What leaves the index, and the removal of a key that is not there, are told to the runs under that lock too;
/// while no factory runs that costs a look at one number. Removals by tag and of everything outdate the runs first, then pass through the
/// locks of their buckets: a run that was faster has a version below that of the removal's mark.
/// </remarks>
internal sealed unsafe partial class TableCore
{
    private readonly FlightMarks _flights = new();

    /// <summary>Begins a run for a key that is missing.</summary>
    /// <param name="key">The key.</param>
    /// <param name="tags">The hashes of the tags that the entry will have.</param>
    /// <returns>What the run has to hand back at its end; <see langword="null"/> when the key is there.</returns>
    internal FlightMark? BeginFlight(in KeyProbe key, ulong[] tags)
    {
        while (true)
        {
            try
            {
                return BeginFlightInside(key, tags);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
            key.Matcher!.Learn();
        }
    }

    private FlightMark? BeginFlightInside(in KeyProbe key, ulong[] tags)
    {
        long now = _clock.BeforeLock;
        ThreadPresence presence = Enter();
        try
        {
            Bucket* bucket = _index.Lock(key.Hash, out _);
            try
            {
                bool isThere = TryFindLocked(bucket, key, out _, out _, out EntryHead head, out _) && !IsNoneLocked(head, ref now)
                    && (head.Kind != ValueKind.Pointer || IsLive(OwnedPointer(head)));
                return isThere ? null : _flights.Begin(key.Hash, Pile.Versions.Last, tags);
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

    /// <summary>States that a run has ended.</summary>
    internal void EndFlight(FlightMark mark) => _flights.End(mark);

    /// <summary>Tells the runs that entries with a tag are about to be removed, or all entries.</summary>
    /// <param name="tag">The tag's hash, or <see cref="TagMarks.AllTag"/>.</param>
    internal void OutdateFlights(ulong tag)
    {
        if (!_flights.IsAny)
            return;
        foreach (FlightMark mark in _flights.Outdate(mark => tag == TagMarks.AllTag || Array.IndexOf(mark.Tags, tag) >= 0))
            PassThrough(mark.Hash);
    }

    private void PassThrough(ulong hash)
    {
        ThreadPresence presence = Enter();
        try
        {
            _index.Lock(hash, out _)->Unlock();
        }
        finally
        {
            Pile.Space.Exit(presence);
        }
    }

    /// <summary>Tells the runs for a key that its entry leaves the index, or that it is removed. The bucket is locked.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void TellFlightsLocked(ulong tag, ulong version)
    {
        if (_flights.IsAny)
            _flights.Outdate(tag, version);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsMetLocked(in Condition condition, ulong hash, ulong version, bool isNone) =>
        condition.Form == ConditionForm.None || IsMetSlow(condition, hash, version, isNone);

    private bool IsMetSlow(in Condition condition, ulong hash, ulong version, bool isNone) =>
        condition.Form == ConditionForm.Flight
            ? _flights.MayKeep(hash, condition.Number, version)
            : condition.Number == (isNone ? 0 : version);
}
