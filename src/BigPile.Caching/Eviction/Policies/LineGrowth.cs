using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Caching.Eviction.Policies;

/// <summary>Growth of a table of cache lines whose lines come from the upper bits of a hash: the line times two, or one more.</summary>
/// <remarks>So each line is copied to two, and no hash loses what it had. What its other half had fades out.</remarks>
internal static unsafe class LineGrowth
{
    private const int MaxShrinkage = 16; // divisor of the lines below which a table is made anew

    /// <summary>The lines that a table should have.</summary>
    /// <param name="count">The lines that it has; 0: none yet.</param>
    /// <param name="entries">The entries, from 1.</param>
    /// <param name="wanted">The lines that a new table for them has.</param>
    internal static uint CountFor(uint count, long entries, uint wanted)
    {
        Debug.Assert(entries >= 1 && wanted >= 1, "A table has a line.");
        if (count == 0 || wanted < count / MaxShrinkage)
            return wanted;
        while (count < uint.MaxValue / 2 && wanted > count + count / 2)
            count *= 2;
        return count;
    }

    /// <summary>Copies each line to as many as there are of it now.</summary>
    internal static void Copy(void* from, uint count, void* to, uint newCount, uint lineBytes)
    {
        uint times = count == 0 ? 0 : newCount / count;
        for (uint i = 0; i < count * times; i++)
            Unsafe.CopyBlock((byte*)to + (nuint)i * lineBytes, (byte*)from + (nuint)(i / times) * lineBytes, lineBytes);
    }
}
