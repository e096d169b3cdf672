using System;

namespace BigPile.Perf.Soaking;

/// <summary>Pointers of deleted objects: they must stay dead, also when their slots are reused.</summary>
internal sealed class DeadPointers(Pile pile, SoakErrors errors, Random dice)
{
    private const int MaxKept = 256;
    private const int Ways = 5;

    private readonly PilePointer[] _pointers = new PilePointer[MaxKept];
    private int _count;

    internal void Add(PilePointer pointer) => _pointers[_count++ % MaxKept] = pointer;

    /// <summary>A random one; the invalid pointer if there is none yet.</summary>
    internal PilePointer Any() => _count == 0 ? default : _pointers[dice.Next(Math.Min(_count, MaxKept))];

    /// <summary>Tries one of them with one of the operations that report whether an object exists.</summary>
    internal void Try()
    {
        PilePointer pointer = Any();
        bool isThere = dice.Next(Ways) switch
        {
            0 => pile.Contains(pointer),
            1 => pile.TryGet(pointer, out _),
            2 => pile.TryDelete(pointer),
            3 => pile.TryReplace(pointer, "never"),
            _ => IsLeased(pointer),
        };
        if (isThere)
            errors.Report($"the pointer {pointer} of an object that was deleted names one");
    }

    private bool IsLeased(PilePointer pointer)
    {
        if (!pile.TryLease(pointer, out PileLease? lease))
            return false;
        lease.Dispose();
        return true;
    }
}
