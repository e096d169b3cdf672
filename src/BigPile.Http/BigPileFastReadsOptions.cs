using System.Collections.Generic;

namespace BigPile.Http;

/// <summary>The options of the fast path for reads.</summary>
public sealed class BigPileFastReadsOptions
{
    /// <summary>
    /// Further request headers that don't affect a read, for example those that a proxy adds. A request with an unknown header goes through
    /// the full HTTP stack. Name none that the application or a middleware acts on.
    /// </summary>
    public ICollection<string> IgnoredHeaders { get; } = [];
}
