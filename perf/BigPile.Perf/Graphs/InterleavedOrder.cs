namespace BigPile.Perf.Graphs;

/// <summary>An order of packages in which equal shares take equal time.</summary>
/// <remarks>
/// Neighbours in the catalog are similar, for example in the size of their closure. So the first share gets the first block of each round,
/// the second share the second, and so on.
/// </remarks>
internal static class InterleavedOrder
{
    private const int BlockPackages = 64;

    /// <summary>Lists each package once, ordered so that the list can be cut into one share for each thread.</summary>
    internal static int[] Make(int packages, int threads)
    {
        int[] order = new int[packages];
        int done = 0;
        for (int share = 0; share < threads; share++)
        {
            for (long block = (long)share * BlockPackages; block < packages; block += (long)threads * BlockPackages)
            {
                for (long number = block; number < packages && number < block + BlockPackages; number++)
                    order[done++] = (int)number;
            }
        }
        return order;
    }
}
