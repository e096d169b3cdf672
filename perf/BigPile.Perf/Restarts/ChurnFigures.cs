namespace BigPile.Perf.Restarts;

/// <summary>What a process had put when it was killed, at least.</summary>
/// <param name="FirstKey">The first key that was new.</param>
/// <param name="KeyCount">That many keys from there on have returned.</param>
internal sealed record ChurnFigures(long FirstKey, long KeyCount);
