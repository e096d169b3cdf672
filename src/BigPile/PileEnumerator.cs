using System.Collections;
using System.Collections.Generic;
using BigPile.Access;

namespace BigPile;

/// <summary>Enumerates the objects of a pile in address order.</summary>
/// <remarks>Thread safety: one thread at a time. It throws once the pile is closed.</remarks>
public sealed class PileEnumerator : IEnumerator<PileEntry>
{
    private const int EntriesPerBatch = 512;

    private readonly BlockWalk _walk;
    private readonly PileEntry[] _batch = new PileEntry[EntriesPerBatch];
    private ulong _nextAddress;
    private int _count;
    private int _index = -1;

    internal PileEnumerator(BlockWalk walk) => _walk = walk;

    /// <inheritdoc/>
    public PileEntry Current => _batch[_index];

    object IEnumerator.Current => Current;

    /// <inheritdoc/>
    public bool MoveNext()
    {
        if (++_index < _count)
            return true;
        _count = _walk.Collect(ref _nextAddress, _batch);
        _index = 0;
        return _count != 0;
    }

    /// <inheritdoc/>
    public void Reset()
    {
        _nextAddress = 0;
        _count = 0;
        _index = -1;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }
}
