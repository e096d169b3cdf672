namespace BigPile.Perf.Graphs;

/// <summary>An order of packages in which equal shares take equal time.</summary>
/// <remarks>
/// Packages that are near in the catalog have much in common, such as the size of what they reach. So the first share gets the first block
/// of each round, the second one the second, and so on.
/// </remarks>
internal static class InterleavedOrder
{
    private const int BlockPackages = 64;

    /// <summary>Lists all packages, each once, so that it can be cut into as many pieces as there are threads.</summary>
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
