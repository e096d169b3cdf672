using BigPile.Access;
using BigPile.Concurrency;

namespace BigPile.Upkeep;

/// <summary>Of a pile in memory: what was freed is free at once, and nothing waits for a flush.</summary>
internal sealed class MemoryRoom(Trimmer trimmer) : RoomMaker
{
    internal override bool CanMakeRoom(ThreadPresence presence, int flushes) => false;

    internal override int MakeRoom(int flushes) => flushes + 1;

    internal override bool TryFlush() => true;

    internal override void RequestFlush()
    {
    }

    internal override void GiveBackQuietly() => trimmer.TrimQuietly();
}
