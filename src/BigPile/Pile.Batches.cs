using System;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using BigPile.Access;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile;

/// <summary>Many objects in one call.</summary>
/// <remarks>
/// A get of a block that no cache holds waits 0.25 to 0.43 µs for memory. A batch asks for all blocks of a window ahead, so that the waits
/// of eight and more run at the same time.
/// </remarks>
public sealed unsafe partial class Pile
{
    /// <summary>Blocks that are asked for before the first of them is read: about as many as a core can wait for, twice over.</summary>
    private const int PrefetchWindow = 16;

    /// <summary>Most blocks end within so many bytes: a second line is asked for only where the block may cross into it.</summary>
    private const int UsualBytes = 47;

    /// <summary>Reads many objects; several times as fast as one by one where they lie scattered in a large pile.</summary>
    /// <typeparam name="T">The objects' type, or one that they derive from; a class.</typeparam>
    /// <param name="pointers">The objects.</param>
    /// <param name="values">
    /// Gets the objects in the same order; <see langword="null"/> for each pointer that names no live object. At least as long as the
    /// pointers.
    /// </param>
    /// <returns>How many of the pointers named an object.</returns>
    /// <exception cref="ArgumentException">There is less room than pointers.</exception>
    /// <exception cref="InvalidCastException">An object is of another type; the ones before it were read.</exception>
    /// <exception cref="PileSerializationException">A payload can't be read as objects; the ones before it were read.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public int GetMany<T>(ReadOnlySpan<PilePointer> pointers, Span<T?> values)
        where T : class
    {
        if (values.Length < pointers.Length)
            throw new ArgumentException(
                $"There is room for {values.Length:N0} objects, and there are {pointers.Length:N0} pointers.", nameof(values));
        int count = 0;
        PrefetchFirst(pointers[..Math.Min(PrefetchWindow, pointers.Length)]);
        for (int i = 0; i < pointers.Length; i++)
        {
            var reader = default(ObjectReader);
            bool found = TryReadInBatch(pointers, i, ref reader);
            if (!found)
                reader.Release();
            // Outside the pile: a flush waits for whoever is inside, and a codec may wait for anything.
            values[i] = found ? (T)reader.Complete(Codec) : null;
            count += found ? 1 : 0;
        }
        return count;
    }

    /// <summary>Stores many objects: all of them, or none.</summary>
    /// <typeparam name="T">The objects' type.</typeparam>
    /// <param name="values">The objects. Strings and byte arrays are stored as they are, anything else by the codec.</param>
    /// <param name="pointers">Gets the pointers in the same order; at least as long as the objects.</param>
    /// <exception cref="ArgumentException">There is less room than objects.</exception>
    /// <exception cref="ArgumentNullException">One of the objects is <see langword="null"/>; the pile is as it was.</exception>
    /// <exception cref="PileFullException">There is no room for all; the pile is as it was.</exception>
    /// <exception cref="PileSerializationException">A graph holds something that has no place in a pile; the pile is as it was.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void PutMany<T>(ReadOnlySpan<T> values, Span<PilePointer> pointers)
        where T : class
    {
        if (pointers.Length < values.Length)
            throw new ArgumentException(
                $"There is room for {pointers.Length:N0} pointers, and there are {values.Length:N0} objects.", nameof(pointers));
        Exit(EnterToChange()); // an empty batch, too, says that the pile is closed
        int done = 0;
        try
        {
            for (; done < values.Length; done++)
                pointers[done] = Put((object)values[done]);
        }
        catch
        {
            TakeBack(pointers[..done]);
            throw;
        }
    }

    private void TakeBack(Span<PilePointer> pointers)
    {
        try
        {
            foreach (PilePointer pointer in pointers)
                TryDelete(pointer);
        }
        catch (ObjectDisposedException)
        {
            // closed meanwhile: what was thrown before says more
        }
        pointers.Clear();
    }

    /// <summary>Reads one of many, and asks for one further on.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadInBatch(ReadOnlySpan<PilePointer> pointers, int index, ref ObjectReader reader)
    {
        ThreadPresence presence = Enter();
        try
        {
            if (index + PrefetchWindow < pointers.Length)
                Prefetch(pointers[index + PrefetchWindow]);
            return TryReadInside<ObjectReader, AllChecks>(pointers[index], ref reader);
        }
        finally
        {
            Exit(presence);
        }
    }

    private void PrefetchFirst(ReadOnlySpan<PilePointer> pointers)
    {
        ThreadPresence presence = Enter();
        try
        {
            foreach (PilePointer pointer in pointers)
                Prefetch(pointer);
        }
        finally
        {
            Exit(presence);
        }
    }

    // The block's beginning, and what readers know of its page: a batch from all over a large pile misses both.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Prefetch(PilePointer pointer)
    {
        if (!Sse.IsSupported || !pointer.IsValid)
            return;
        byte* block = _map.Find(pointer.Address, out PageInfo* info);
        if (block == null)
            return;
        Sse.Prefetch0(info);
        Sse.Prefetch0(block);
        Sse.Prefetch0(block + UsualBytes);
    }
}
