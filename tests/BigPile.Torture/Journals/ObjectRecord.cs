using System.Threading;

namespace BigPile.Torture.Journals;

/// <summary>An object's state, the one that the operation in flight leads to, and one that a flush has made durable.</summary>
/// <remarks>
/// A kill leaves a prefix of the stores: the next state is written first, then one word says that a change is in flight, and after the
/// operation one word makes the next state the current one. So no instant has neither. The flushed state is kept in the same way: before
/// a change begins, the current state takes its place if a flush that began later has ended.
/// </remarks>
internal struct ObjectRecord
{
    private const ulong SideBit = 1;
    private const ulong FlushedSideBit = 2;
    private const ulong SideMask = SideBit | FlushedSideBit;
    private const int ChangeShift = 8;

    private ulong _control;
    private ObjectVersion _first;
    private ObjectVersion _second;
    private ObjectVersion _firstFlushed;
    private ObjectVersion _secondFlushed;

    internal readonly ObjectVersion Now => (_control & SideBit) == 0 ? _first : _second;

    internal readonly ObjectVersion Then => (_control & SideBit) == 0 ? _second : _first;

    internal readonly Change InFlight => (Change)(_control >> ChangeShift);

    private readonly ObjectVersion KeptFlushed => (_control & FlushedSideBit) == 0 ? _firstFlushed : _secondFlushed;

    /// <summary>The youngest state that is known to be durable: a power cut may leave it or a younger one.</summary>
    internal readonly ObjectVersion FlushedAt(long flushedUpTo) => Now.Tick < flushedUpTo ? Now : KeptFlushed;

    internal void Begin(Change change, ObjectVersion then, long flushedUpTo)
    {
        KeepFlushed(flushedUpTo);
        SetThen(then);
        Volatile.Write(ref _control, (_control & SideMask) | ((ulong)change << ChangeShift));
    }

    internal void SetThen(ObjectVersion then)
    {
        if ((_control & SideBit) == 0)
            _second = then;
        else
            _first = then;
    }

    internal void Complete(long tick)
    {
        SetThen(Then with { Tick = tick });
        Volatile.Write(ref _control, (_control & SideMask) ^ SideBit);
    }

    internal void Withdraw() => Volatile.Write(ref _control, _control & SideMask);

    private void KeepFlushed(long flushedUpTo)
    {
        if (Now.Tick >= flushedUpTo || Now.Tick == KeptFlushed.Tick)
            return;
        if ((_control & FlushedSideBit) == 0)
            _secondFlushed = Now;
        else
            _firstFlushed = Now;
        Volatile.Write(ref _control, _control ^ FlushedSideBit);
    }
}
