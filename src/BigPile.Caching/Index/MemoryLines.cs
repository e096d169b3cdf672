using System.Collections.Generic;
using BigPile.Memory;

namespace BigPile.Caching.Index;

/// <summary>Allocates chunks in the memory of the process.</summary>
/// <remarks>The first chunk is committed page by page, so a small table is small. The others may be huge pages.</remarks>
/// <param name="hugePages">Whether chunks after the first one are huge pages.</param>
internal sealed unsafe class MemoryLines(bool hugePages) : LineSource
{
    private NativeRegion? _first; // most tables have no other one
    private List<NativeRegion>? _others;

    internal override bool HasLargePages => hugePages;

    internal override byte* Take(int chunk, bool touches)
    {
        var region = new NativeRegion(ChunkBytes, hugePages && chunk != 0);
        if (touches)
            Touch(region.Start);
        lock (this)
        {
            if (_first == null)
                _first = region;
            else
                (_others ??= []).Add(region);
        }
        return region.Start;
    }

    internal override void GiveBack(int chunk, byte* start)
    {
        lock (this)
        {
            if (_first?.Start == start)
                _first.Dispose();
            _others?.Find(region => region.Start == start)?.Dispose(); // disposed once more by Dispose, without effect
        }
    }

    public override void Dispose()
    {
        lock (this)
        {
            _first?.Dispose();
            _others?.ForEach(static region => region.Dispose());
        }
    }
}
