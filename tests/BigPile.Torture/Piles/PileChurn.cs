using BigPile.Torture.Journals;

namespace BigPile.Torture.Piles;

/// <summary>Gives the order to empty a range of objects, to fill it with another size, and to give memory back.</summary>
internal sealed class PileChurn(Dice dice)
{
    /// <summary>In the place of an object: give memory back.</summary>
    internal const int GiveBack = -1;

    private const int WholeOf = 3;

    private int _at;
    private int _end;
    private int _begin;
    private int _fillBytes = -1;
    private bool _isFilling;
    private bool _isOn;

    internal void Begin()
    {
        bool whole = dice.OneIn(WholeOf);
        _begin = whole ? 0 : dice.Next(Journal.ObjectsPerThread);
        _end = whole ? Journal.ObjectsPerThread : System.Math.Min(_begin + Journal.ObjectsPerThread / 2, Journal.ObjectsPerThread);
        _at = _begin;
        _fillBytes = 16 << dice.Next(8);
        _isFilling = false;
        _isOn = true;
    }

    /// <summary>The next object of the range, and the length to fill it with; a negative one means to delete it.</summary>
    internal bool TryNext(out int slot, out int lengthBytes)
    {
        slot = _at;
        lengthBytes = _isFilling ? _fillBytes : -1;
        if (!_isOn)
            return false;
        if (_at++ < _end)
            return true;
        slot = GiveBack;
        _isOn = !_isFilling;
        _isFilling = true;
        _at = _begin;
        return true;
    }
}
