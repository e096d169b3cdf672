using System.Collections.Generic;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Caching.Index;

/// <summary>Chunks in the memory of the process.</summary>
/// <remarks>The first one takes pages as they are touched, so that a small table is small; the others may be huge pages.</remarks>
/// <param name="hugePages">Whether chunks behind the first one are huge pages.</param>
internal sealed unsafe class MemoryLines(bool hugePages) : LineSource
{
    private readonly Lock _lock = new();
    private readonly Dictionary<nint, NativeRegion> _regions = [];

    internal override bool HasLargePages => hugePages;

    internal override byte* Take(int chunk, bool touches)
    {
        var region = new NativeRegion(ChunkBytes, hugePages && chunk != 0);
        if (touches)
            Touch(region.Start);
        lock (_lock)
            _regions[(nint)region.Start] = region;
        return region.Start;
    }

    internal override void GiveBack(int chunk, byte* start)
    {
        lock (_lock)
        {
            if (_regions.Remove((nint)start, out NativeRegion? region))
                region.Dispose();
        }
    }

    public override void Dispose()
    {
        lock (_lock)
        {
            foreach (NativeRegion region in _regions.Values)
                region.Dispose();
            _regions.Clear();
        }
    }
}
