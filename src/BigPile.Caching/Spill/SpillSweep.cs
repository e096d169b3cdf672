using System;
using System.Collections.Generic;
using BigPile.Hash;

namespace BigPile.Caching.Spill;

/// <summary>How far a table's sweeps have come in what it spilled. One sweep runs at a time.</summary>
internal sealed class SpillSweep : IDisposable
{
    private IEnumerator<HashRecord>? _walk;
    private ulong _memoryDoneUpTo;
    private ulong _marksUpTo;
    private ulong _doneUpTo;

    /// <summary>The version up to which marks were dropped.</summary>
    internal ulong DroppedUpTo { get; set; }

    internal bool IsUnderWay => _walk != null;

    /// <summary>States that a round through memory ended, and up to which version marks concern nothing there.</summary>
    internal void EndMemoryRound(ulong marksUpTo) => _memoryDoneUpTo = marksUpTo;

    /// <summary>States that entries came into memory that no round has looked at.</summary>
    internal void ForgetRounds() => _memoryDoneUpTo = _marksUpTo = _doneUpTo = 0;

    /// <summary>Begins a round; what is on its way to the file or from there is looked at behind this.</summary>
    internal void Begin() => _marksUpTo = _memoryDoneUpTo;

    /// <summary>Goes on with the file.</summary>
    /// <param name="walk">The walk through it; <see langword="null"/> when there is none, and the round is at its end.</param>
    internal void WalkOn(IEnumerator<HashRecord>? walk)
    {
        _walk = walk;
        if (walk == null)
            _doneUpTo = _marksUpTo;
    }

    /// <summary>Takes the version up to which marks concern nothing any more, in memory or in the file; 0: no round has ended.</summary>
    internal ulong TakeDone()
    {
        ulong done = _doneUpTo;
        _doneUpTo = 0;
        return done;
    }

    /// <summary>The next record.</summary>
    /// <returns><see langword="false"/> at the end of the round.</returns>
    internal bool TryNext(out ReadOnlyMemory<byte> key, out ReadOnlyMemory<byte> block)
    {
        key = block = default;
        if (_walk == null)
            return false;
        try
        {
            if (_walk.MoveNext())
            {
                (key, block) = (_walk.Current.Key, _walk.Current.Value);
                return true;
            }
            _doneUpTo = _marksUpTo;
        }
        catch (Exception e) when (SpillFile.IsFault(e))
        {
            // the file was given up; the next round begins with none, or with a new one
        }
        Dispose();
        return false;
    }

    public void Dispose()
    {
        _walk?.Dispose();
        _walk = null;
    }
}
