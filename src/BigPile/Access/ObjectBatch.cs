using System;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Many objects in one call.</summary>
/// <remarks>
/// A read of an uncached block waits 0.25 to 0.43 µs for memory. A batch prefetches a window of blocks ahead, so that eight and more of
/// these waits overlap.
/// </remarks>
internal sealed unsafe class ObjectBatch(BlockStore blocks, BlockReader reader, IPileCodec codec, ObjectStore objects, Remover remover)
{
    /// <summary>Blocks prefetched ahead: about twice the outstanding misses that a core supports.</summary>
    private const int PrefetchWindow = 16;

    /// <summary>
    /// Most blocks end within so many bytes; the line at this offset is prefetched too, in case the block crosses into it.
    /// </summary>
    private const int UsualBytes = 47;

    private readonly SegmentMap _map = blocks.Map; // for prefetching: memory and page info by address

    internal int GetMany<T>(ReadOnlySpan<PilePointer> pointers, Span<T?> values)
        where T : class
    {
        if (values.Length < pointers.Length)
            throw new ArgumentException(
                $"The span for objects has {values.Length:N0} elements, but there are {pointers.Length:N0} pointers.", nameof(values));
        int count = 0;
        PrefetchFirst(pointers[..Math.Min(PrefetchWindow, pointers.Length)]);
        for (int i = 0; i < pointers.Length; i++)
        {
            var one = default(ObjectReader);
            bool found = TryReadInBatch(pointers, i, ref one);
            if (!found)
                one.Release();
            // Outside the critical region: a flush waits for all regions, and a codec may wait for anything.
            values[i] = found ? (T)one.Complete(codec) : null;
            count += found ? 1 : 0;
        }
        return count;
    }

    /// <summary>Stores many objects: all of them, or none.</summary>
    internal void PutMany<T>(ReadOnlySpan<T> values, Span<PilePointer> pointers)
        where T : class
    {
        if (pointers.Length < values.Length)
            throw new ArgumentException(
                $"The span for pointers has {pointers.Length:N0} elements, but there are {values.Length:N0} objects.", nameof(pointers));
        blocks.EnterWriter().Dispose(); // even an empty batch throws if the pile is closed
        int done = 0;
        try
        {
            for (; done < values.Length; done++)
                pointers[done] = objects.Put(values[done]);
        }
        catch
        {
            // All or none only in a process that lives: a kill leaves any first part of the batch.
            TakeBack(pointers[..done]);
            throw;
        }
    }

    private void TakeBack(Span<PilePointer> pointers)
    {
        try
        {
            foreach (PilePointer pointer in pointers)
                remover.TryRemove(pointer);
        }
        catch (ObjectDisposedException)
        {
            // closed meanwhile: the first exception says more
        }
        pointers.Clear();
    }

    /// <summary>Reads one object, and prefetches one further on.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadInBatch(ReadOnlySpan<PilePointer> pointers, int index, ref ObjectReader one)
    {
        using ReadScope scope = blocks.EnterReader(); // one for each object: a batch keeps no flush waiting
        if (index + PrefetchWindow < pointers.Length)
            Prefetch(pointers[index + PrefetchWindow]);
        return reader.TryReadInRegion(pointers[index], ref one);
    }

    private void PrefetchFirst(ReadOnlySpan<PilePointer> pointers)
    {
        using ReadScope scope = blocks.EnterReader();
        foreach (PilePointer pointer in pointers)
            Prefetch(pointer);
    }

    // Both the block's first lines and its page's info: a batch scattered over a large pile misses both.
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
