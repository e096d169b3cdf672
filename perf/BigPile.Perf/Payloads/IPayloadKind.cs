using System;

namespace BigPile.Perf.Payloads;

/// <summary>A kind of object to load: how it is put and recognized.</summary>
/// <remarks>
/// Implemented by structs, so that the loops over objects are compiled for each kind separately and call nothing indirectly. The object of
/// a number is the one at <see cref="PayloadPool.IndexOf"/> in a pool that is made before anything is timed. Thread safety: each thread
/// uses its own instance, from <see cref="ForThread"/>.
/// </remarks>
/// <typeparam name="TSelf">The kind itself.</typeparam>
internal interface IPayloadKind<TSelf>
    where TSelf : struct, IPayloadKind<TSelf>
{
    /// <summary>The kind for one thread, with whatever memory it reuses.</summary>
    TSelf ForThread();

    /// <summary>Puts the object of a number.</summary>
    PilePointer Put(Pile pile, int number);

    /// <summary>Gets the object and checks cheaply whether it is the one of that number.</summary>
    bool IsIntact(Pile pile, PilePointer pointer, int number);

    /// <summary>
    /// Gets at most <see cref="PayloadPool.BatchSize"/> objects at once and checks whether they are the ones of those numbers.
    /// </summary>
    bool AreIntact(Pile pile, ReadOnlySpan<PilePointer> pointers, ReadOnlySpan<int> numbers);
}
