using BigPile.Perf.Loads;

namespace BigPile.Perf.Pauses;

/// <summary>Checks whether a pause load fits into memory.</summary>
internal static class PauseMemory
{
    // Above the measured values, to cover what the collector holds besides live objects: a load that swaps would measure the disk.
    private const int HeapBytesPerObject = 230;
    private const int PileBytesPerObject = 110;

    /// <summary>About the most memory that the load takes.</summary>
    internal static long BytesFor(PauseHolder holder, long count) =>
        count * (holder == PauseHolder.Heap ? HeapBytesPerObject : PileBytesPerObject);

    /// <summary>Refuses a load that needs more than there is.</summary>
    /// <exception cref="LoadException">There is too little memory.</exception>
    internal static void Require(PauseOptions options)
    {
        string load = $"--count {options.Count} of --holder {options.Holder.ToString().ToLowerInvariant()}";
        MachineLimits.Require(load, BytesFor(options.Holder, options.Count), MachineLimits.FreeMemoryBytes(), "memory", "Lower --count.");
    }
}
