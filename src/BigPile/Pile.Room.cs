using System.Runtime.CompilerServices;
using BigPile.Concurrency;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>Memory that is free once a flush has ended.</summary>
/// <remarks>
/// What was flushed and then freed keeps its room until the next flush, so a pile may be full of it. Every call that needs memory flushes
/// then and tries again, once it is outside of the pile and holds no lock; it throws when nothing waits any more, or the device refuses. A
/// call within a call can't: a flush would wait for it.
/// </remarks>
public sealed partial class Pile
{
    /// <summary>Others may take what a flush gave back, again and again: after so many a call gives up.</summary>
    private const int MostFlushesForRoom = 8;

    /// <summary>Whether a flush would give room back, and this thread may make one once it has left the pile.</summary>
    /// <param name="presence">The calling thread, inside of the call that failed.</param>
    /// <param name="flushes">How often it has flushed for it; see <see cref="MakeRoom(int)"/>.</param>
    internal bool CanMakeRoom(ThreadPresence presence, int flushes) =>
        flushes < MostFlushesForRoom && _log != null && !presence.IsNested && (QuarantinedBytes != 0 || _moved!.IsFull);

    /// <summary>Flushes, so that what was freed can be used again. The caller is outside of all calls.</summary>
    /// <param name="flushes">How often it was done for the same call before.</param>
    /// <returns>The number for the next time.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal int MakeRoom(int flushes) => TryFlushToMakeRoom() ? flushes + 1 : MostFlushesForRoom;

    /// <summary>Flushes first if there would be no room in the table of moved blocks; a call within a call goes on.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void MakeRoomToMove()
    {
        if (_moved is { IsNearlyFull: true } && !ThreadPresence.Mine.IsInside)
            _ = TryFlushToMakeRoom();
    }

    private bool TryFlushToMakeRoom()
    {
        try
        {
            Flush();
            return true;
        }
        catch (PileStorageException e)
        {
            Logger.LogError(e, "What was freed can't be used again before it was flushed, and that failed");
            return false;
        }
    }
}
