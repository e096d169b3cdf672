using System.Collections.Generic;
using System.Threading;

namespace BigPile.Durability;

/// <summary>Collects faults: all of them are counted, and the first ones kept.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class FaultLog
{
    private const int MaxKept = 1000;

    private readonly Lock _lock = new();
    private readonly List<PileFault> _kept = [];

    internal long Count { get; private set; }

    internal long LostBytes { get; private set; }

    /// <summary>The first faults.</summary>
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
