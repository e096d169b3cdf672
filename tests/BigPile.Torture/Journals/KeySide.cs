using System.Threading;

namespace BigPile.Torture.Journals;

/// <summary>What one of a key's two threads did last, and what it is doing; written as <see cref="ObjectRecord"/> is.</summary>
internal struct KeySide
{
    private ulong _control;
    private EntryState _first;
    private EntryState _second;

    internal readonly EntryState Last => (_control & 1) == 0 ? _first : _second;

    internal readonly EntryState Then => (_control & 1) == 0 ? _second : _first;

    internal readonly bool IsInFlight => _control > 1;

    internal void Begin(EntryState then)
    {
        SetThen(then);
        Volatile.Write(ref _control, (_control & 1) | 2);
    }

    internal void SetThen(EntryState then)
    {
        if ((_control & 1) == 0)
            _second = then;
        else
            _first = then;
    }

    internal void Complete(EntryState then)
    {
        SetThen(then);
        Volatile.Write(ref _control, (_control & 1) ^ 1);
    }

    internal void Withdraw() => Volatile.Write(ref _control, _control & 1);
}
