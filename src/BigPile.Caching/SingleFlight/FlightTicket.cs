namespace BigPile.Caching.SingleFlight;

/// <summary>A run of a factory as its table sees it: whether something newer has happened to its key since it began.</summary>
/// <param name="id">Tells the run from all others of the table.</param>
/// <param name="hash">The hash of the key.</param>
/// <param name="startVersion">What has a higher version was put after the run began.</param>
/// <param name="tags">The hashes of the tags that the entry will have.</param>
internal sealed class FlightTicket(ulong id, ulong hash, ulong startVersion, ulong[] tags)
{
    private volatile bool _isOutdated;

    internal ulong Id => id;

    internal ulong Hash => hash;

    internal ulong StartVersion => startVersion;

    internal ulong[] Tags => tags;

    /// <summary>Whether the value is not to be kept: who waits for it gets it, and nobody else.</summary>
    internal bool IsOutdated => _isOutdated;

    /// <summary>The next run whose hash has the same tag.</summary>
    internal FlightTicket? Next { get; set; }

    internal void Outdate() => _isOutdated = true;
}
