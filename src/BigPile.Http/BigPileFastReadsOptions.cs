using System.Collections.Generic;

namespace BigPile.Http;

/// <summary>What the fast door for reads may take.</summary>
public sealed class BigPileFastReadsOptions
{
    /// <summary>
    /// Names of more request headers that mean nothing to a read, for example those that a proxy adds. A request with a header that is
    /// not known goes through the full HTTP stack. Name none that the application or a middleware acts on.
    /// </summary>
    public ICollection<string> IgnoredHeaders { get; } = [];
}
