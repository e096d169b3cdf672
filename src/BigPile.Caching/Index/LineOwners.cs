using System;

namespace BigPile.Caching.Index;

/// <summary>While an index is inspected: which line leads to each overflow line, as far as was seen.</summary>
/// <remarks>
/// In a damaged index two lines may lead to one, each under a lock of its own: one of them gives it back, and it goes to a third while
/// the other still leads to it. So it is noted to whom a line was given, and not only that it was. The caller has the lines' lock.
/// </remarks>
internal sealed class LineOwners(uint end)
{
    private ulong[] _owners = new ulong[end]; // the name of the line that leads there and 1; 0: none was seen

    /// <summary>Whether a line was given to somebody, or back, while another line was known to lead to it.</summary>
    internal bool HadTwo { get; private set; }

    /// <summary>Whether a line is known to lead to a line.</summary>
    internal bool IsLedTo(uint number) => number < _owners.Length && _owners[number] != 0;

    /// <summary>Notes that a line was found to lead to another one.</summary>
    /// <returns><see langword="false"/> when it is known that a different one does.</returns>
    internal bool TryClaim(uint number, ulong name)
    {
        Grow(number);
        if (_owners[number] != 0)
            return _owners[number] == name + 1;
        _owners[number] = name + 1;
        return true;
    }

    /// <summary>Notes that a free line was given to one that leads to it from now on.</summary>
    internal void Give(uint number, ulong name)
    {
        Grow(number);
        HadTwo |= _owners[number] != 0;
        _owners[number] = name + 1;
    }

    /// <summary>Notes that a line is free from now on.</summary>
    /// <param name="number">The line.</param>
    /// <param name="name">The one that led to it.</param>
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
