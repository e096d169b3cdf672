using System.Collections.Generic;
using System.Threading;

namespace BigPile.Durability;

/// <summary>Collects faults: counts all, and keeps the first 1,000.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class FaultLog
{
    private const int MaxKept = 1000;

    private readonly Lock _lock = new();
    private readonly List<PileFault> _kept = [];

    // All faults, kept or not; written under _lock.
    internal long Count { get; private set; }

    internal long LostBytes { get; private set; }

    internal IReadOnlyList<PileFault> Kept
    {
        get
        {
            lock (_lock)
                return [.. _kept];
        }
    }

    internal void Add(PileFault fault)
    {
        lock (_lock)
        {
            Count++;
            LostBytes += fault.LostBytes;
            if (_kept.Count < MaxKept)
                _kept.Add(fault);
        }
    }
}
