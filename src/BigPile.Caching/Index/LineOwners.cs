using System;

namespace BigPile.Caching.Index;

/// <summary>During an inspection of an index: for each overflow line the line that links to it, as far as is known.</summary>
/// <remarks>
/// In a damaged index two lines may link to one overflow line, each under its own bucket's lock. One bucket may return it, and a third may
/// get it while the other one still links to it. So the owner of a line is recorded, not only that it is in use. The caller holds the
/// lock of the overflow lines.
/// </remarks>
internal sealed class LineOwners(uint end)
{
    private ulong[] _owners = new ulong[end]; // by overflow line: the name of the line that links to it, plus 1; 0: none known

    /// <summary>Whether a line was allocated or returned while another line was known to link to it.</summary>
    internal bool HadTwo { get; private set; }

    /// <summary>Whether some line is known to link to an overflow line.</summary>
    internal bool IsLedTo(uint number) => number < _owners.Length && _owners[number] != 0;

    /// <summary>Records that a line links to an overflow line.</summary>
    /// <returns><see langword="false"/> if another line is known to link to it.</returns>
    internal bool TryClaim(uint number, ulong name)
    {
        Grow(number);
        if (_owners[number] != 0)
            return _owners[number] == name + 1;
        _owners[number] = name + 1;
        return true;
    }

    /// <summary>Records that a free line was allocated, with the name of the line that links to it.</summary>
    internal void Give(uint number, ulong name)
    {
        Grow(number);
        HadTwo |= _owners[number] != 0;
        _owners[number] = name + 1;
    }

    /// <summary>Records that a line was returned.</summary>
    /// <param name="number">The line.</param>
    /// <param name="name">The name of the line that linked to it.</param>
    internal void TakeBack(uint number, ulong name)
    {
        Grow(number);
        HadTwo |= _owners[number] != 0 && _owners[number] != name + 1;
        _owners[number] = 0;
    }

    private void Grow(uint number)
    {
        if (number >= _owners.Length)
            Array.Resize(ref _owners, (int)Math.Max(number + 1, 2 * (uint)_owners.Length));
    }
}
