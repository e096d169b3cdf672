using System.Threading;

namespace BigPile.Torture.Journals;

/// <summary>An object's state, and the one that the operation in flight leads to.</summary>
/// <remarks>
/// A kill leaves a prefix of the stores: the next state is written first, then one word says that a change is in flight, and after the
/// operation one word makes the next state the current one. So no instant has neither.
/// </remarks>
internal struct ObjectRecord
{
    private const int ChangeShift = 8;

    private ulong _control;
    private ObjectVersion _first;
    private ObjectVersion _second;

    internal readonly ObjectVersion Now => (_control & 1) == 0 ? _first : _second;

    internal readonly ObjectVersion Then => (_control & 1) == 0 ? _second : _first;

    internal readonly Change InFlight => (Change)(_control >> ChangeShift);

    internal void Begin(Change change, ObjectVersion then)
    {
        SetThen(then);
        Volatile.Write(ref _control, (_control & 1) | ((ulong)change << ChangeShift));
    }

    internal void SetThen(ObjectVersion then)
    {
        if ((_control & 1) == 0)
            _second = then;
        else
            _first = then;
    }

    internal void Complete() => Volatile.Write(ref _control, (_control & 1) ^ 1);

    internal void Withdraw() => Volatile.Write(ref _control, _control & 1);
}
