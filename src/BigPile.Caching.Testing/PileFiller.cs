using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Caching.Capacity;

namespace BigPile.Caching.Testing;

/// <summary>Keeps a pile full with objects of its own, until it is disposed.</summary>
/// <remarks>
/// <para>
/// While it is there, a put of the code under test evicts entries of tables that give way (<see cref="TableOptions.GivesWay"/>), and is
/// refused where there are none. What others free meanwhile, by removals and evictions, is free: a second filler takes it.
/// </para>
/// Thread safety: all members may be called concurrently, beside all other use of the pile.
/// </remarks>
public sealed class PileFiller : IDisposable
{
    private const int PageBytes = 64 << 10; // serves one size of objects while one is in it
    private const int MostPages = 16; // in one object
    private const int MostSlotBytes = PageBytes / 2; // of an object that shares its page with others
    private const int StepBytes = 8; // between the sizes of slots, or less than that
    private const int OverheadBytes = 64; // of an object, or less

    private static readonly byte[] Payload = new byte[MostPages * PageBytes];

    private readonly Pile _pile;
    private readonly bool _evicts;
    private List<PilePointer>? _objects = []; // null once disposed; taken by who frees them

    private PileFiller(Pile pile, bool evicts)
    {
        _pile = pile;
        _evicts = evicts;
    }

    /// <summary>Fills a pile until no object fits any more, of whatever size. All entries of tables stay.</summary>
    /// <param name="pile">The pile. It has a limit, <see cref="PileOptions.MaxBytes"/>, and takes that much memory or disk.</param>
    /// <param name="leaveBytes">
    /// What stays free, for objects of any size: at least 0, rounded up to pages of 64 KiB. Where less is free, that stays.
    /// </param>
    /// <param name="evicts">Whether tables give way to what fills the pile, as they do to any put: then all that may go has gone.</param>
    /// <returns>The filler; dispose of it before the pile, else a mapped pile keeps its objects.</returns>
    /// <exception cref="ArgumentException">The pile has no limit, or is open for reading only.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The bytes to leave are negative.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static PileFiller FillUp(Pile pile, long leaveBytes = 0, bool evicts = false)
    {
        ArgumentNullException.ThrowIfNull(pile);
        ArgumentOutOfRangeException.ThrowIfNegative(leaveBytes);
        if (pile.IsReadOnly)
            throw new ArgumentException("A pile that is open for reading only can't be filled: open it without PileOptions.ReadOnly.",
                nameof(pile));
        if (pile.Statistics.LimitBytes == long.MaxValue)
            throw new ArgumentException(
                $"The pile '{pile.Name}' has no limit, so it is never full: set PileOptions.MaxBytes, or make it by TestPiles.Make.",
                nameof(pile));
        var kept = new PileFiller(pile, evicts);
        var filler = new PileFiller(pile, evicts);
        try
        {
            kept.Reserve(leaveBytes);
            filler.Fill();
            return filler;
        }
        catch
        {
            filler.Dispose();
            throw;
        }
        finally
        {
            kept.Dispose();
        }
    }

    /// <summary>Frees the filler's objects. A second call does nothing, nor does one after the pile is closed.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _objects, null) is not { } objects)
            return;
        try
        {
            foreach (PilePointer pointer in objects)
                _pile.TryDelete(pointer);
        }
        catch (ObjectDisposedException)
        {
            // closed: there is nothing to free in memory
        }
    }

    // Whole pages: what is free in them serves any size.
    private void Reserve(long bytes)
    {
        long left = bytes / PageBytes + (bytes % PageBytes == 0 ? 0 : 1);
        for (int pages = MostPages; pages > 0 && left > 0;)
        {
            int taken = (int)Math.Min(pages, left);
            if (TryPut(taken * PageBytes - OverheadBytes))
                left -= taken;
            else
                pages = taken / 2;
        }
    }

    // Large objects first, so that few do; then each size of slots, from the largest, as a free slot serves no other size.
    private void Fill()
    {
        while (TryPut(MostPages * PageBytes - OverheadBytes))
            continue;
        for (int bytes = MostSlotBytes; bytes >= 0; bytes -= TryPut(bytes) ? 0 : StepBytes)
            continue;
    }

    private bool TryPut(int bytes)
    {
        if (!FillerObjects.TryPut(_pile, Payload.AsSpan(0, bytes), _evicts, out PilePointer pointer))
            return false;
        _objects!.Add(pointer);
        return true;
    }
}
