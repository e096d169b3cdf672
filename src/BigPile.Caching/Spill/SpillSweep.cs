using System;
using System.Collections.Generic;
using BigPile.Hash;

namespace BigPile.Caching.Spill;

/// <summary>The progress of sweeps through a table's spill file. One sweep runs at a time, under the table's sweep lock.</summary>
internal sealed class SpillSweep : IDisposable
{
    private IEnumerator<HashRecord>? _walk; // null: no round is under way

    /// <summary>Marks up to this version concern nothing in memory.</summary>
    private ulong _memoryDoneUpTo;

    /// <summary><see cref="_memoryDoneUpTo"/> when the round through the file began.</summary>
    private ulong _marksUpTo;

    /// <summary>Marks up to this version concern nothing at all; 0: unknown.</summary>
    private ulong _doneUpTo;

    /// <summary>The version up to which tag marks were dropped.</summary>
    internal ulong DroppedUpTo { get; private set; }

    /// <summary>Marks up to a version were dropped.</summary>
    internal void RecordDropped(ulong version) => DroppedUpTo = version;

    internal bool IsUnderWay => _walk != null;

    /// <summary>Ends a round through memory: marks up to this version concern no entry there.</summary>
    internal void EndMemoryRound(ulong marksUpTo) => _memoryDoneUpTo = marksUpTo;

    /// <summary>Discards finished rounds: entries were inserted into memory that no round has visited.</summary>
    internal void ForgetRounds() => _memoryDoneUpTo = _marksUpTo = _doneUpTo = 0;

    /// <summary>Begins a round. Pending demotions and promotions are visited after this.</summary>
    internal void Begin() => _marksUpTo = _memoryDoneUpTo;

    /// <summary>Continues with the file.</summary>
    /// <param name="walk">The enumeration; <see langword="null"/>: there is no file, and the round has ended.</param>
    internal void WalkOn(IEnumerator<HashRecord>? walk)
    {
        _walk = walk;
        if (walk == null)
            _doneUpTo = _marksUpTo;
    }

    /// <summary>Takes the version up to which marks concern no entry in memory or file; 0: no round has ended.</summary>
    internal ulong TakeDone()
    {
        ulong done = _doneUpTo;
        _doneUpTo = 0;
        return done;
    }

    /// <summary>Gets the next record.</summary>
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
            _doneUpTo = _marksUpTo; // only a whole round counts
        }
        catch (Exception e) when (SpillFile.IsFault(e))
        {
            // the file failed; the next round begins with none, or with a new one
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
