using System;

namespace BigPile.Caching.Testing;

/// <summary>Piles for tests.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
public static class TestPiles
{
    /// <summary>Makes a small pile in native memory, with a limit and the least segments.</summary>
    /// <param name="maxBytes">
    /// The limit: <see cref="PileOptions.MaxBytes"/>, from 1 MiB. The pile takes that much memory when it is full.
    /// </param>
    /// <exception cref="ArgumentException">The limit is below 1 MiB.</exception>
    public static Pile Make(long maxBytes = 8 << 20) =>
        new(new PileOptions { MaxBytes = maxBytes, SegmentBytes = PileOptions.MinSegmentBytes });
}
