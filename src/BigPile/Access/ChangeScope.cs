using System;
using System.Runtime.CompilerServices;
using BigPile.Memory.Concurrency;

namespace BigPile.Access;

/// <summary>A call that changes a pile: in a critical region until it is disposed. Then the background trims, if enough is empty.</summary>
/// <remarks>
/// What lacks space inside says so by a value. Then the caller leaves the scope, holding no lock, asks
/// <see cref="Reclaimer.TryReclaim"/>, and enters again; it throws where nothing is to be reclaimed.
/// </remarks>
/// <param name="critical">The region, which the caller has entered as a writer.</param>
/// <param name="blocks">The blocks of the pile.</param>
internal readonly ref struct ChangeScope(CriticalRegion critical, BlockStore blocks)
{
    private readonly BlockStore _blocks = blocks;

    /// <summary>The calling thread's region.</summary>
    internal readonly CriticalRegion Critical = critical;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        bool wantsTrim = _blocks.IsTrimWanted; // a hint: the trim checks again
        Critical.Exit();
        if (wantsTrim)
            _blocks.Reclaimer.RequestTrim();
    }
}

/// <summary>A call that reads a pile: in a critical region until it is disposed.</summary>
/// <param name="critical">The region, which the caller has entered as a reader.</param>
/// <param name="owner">What must not be collected meanwhile: an unreferenced pile would be, during its own last call.</param>
internal readonly ref struct ReadScope(CriticalRegion critical, object owner)
{
    private readonly object _owner = owner;

    /// <summary>The calling thread's region.</summary>
    internal readonly CriticalRegion Critical = critical;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        Critical.Exit();
        GC.KeepAlive(_owner);
    }
}
