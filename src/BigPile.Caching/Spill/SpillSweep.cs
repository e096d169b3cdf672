using System;
using System.Collections.Generic;
using BigPile.Hash;

namespace BigPile.Caching.Spill;

/// <summary>How far a table's sweeps have come in what it spilled. One sweep runs at a time.</summary>
internal sealed class SpillSweep : IDisposable
{
    private IEnumerator<HashRecord>? _walk;
    private ulong _marksUpTo;

    /// <summary>The version up to which marks concern nothing in the file any more.</summary>
    internal ulong DoneUpTo { get; private set; }

    internal bool IsUnderWay => _walk != null;

    /// <summary>Begins a round.</summary>
    /// <param name="walk">The walk through the file; <see langword="null"/> when there is none, and the round is at its end.</param>
    /// <param name="marksUpTo">The version of the last mark that counted before.</param>
    internal void Begin(IEnumerator<HashRecord>? walk, ulong marksUpTo)
    {
        _walk = walk;
        _marksUpTo = marksUpTo;
        if (walk == null)
            DoneUpTo = marksUpTo;
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
            DoneUpTo = _marksUpTo;
        }
        catch (Exception e) when (SpillFile.IsFault(e))
        {
            // the file was given up, or will be by the next who uses it; the round begins anew
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
