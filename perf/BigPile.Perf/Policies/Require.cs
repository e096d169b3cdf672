using System;

namespace BigPile.Perf.Policies;

/// <summary>What a simulation demands of itself.</summary>
internal static class Require
{
    /// <summary>Throws unless something is so.</summary>
    internal static void That(bool isSo, string otherwise)
    {
        if (!isSo)
            throw new InvalidOperationException(otherwise);
    }
}
