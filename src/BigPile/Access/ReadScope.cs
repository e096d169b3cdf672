using System;
using System.Runtime.CompilerServices;
using BigPile.Memory.Concurrency;

namespace BigPile.Access;

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
