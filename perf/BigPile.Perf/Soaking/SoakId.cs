namespace BigPile.Perf.Soaking;

/// <summary>The ids of values (region, worker and number), which identify a value that turns up in the wrong place.</summary>
internal static class SoakId
{
    internal const int MaxNumber = (1 << NumberBits) - 1;

    private const int NumberBits = 19;
    private const int WorkerBits = 6;

    internal static uint Of(SoakRegion region, int worker, int number) =>
        ((uint)region << (NumberBits + WorkerBits)) | ((uint)worker << NumberBits) | (uint)number;

    internal static string NameOf(uint id)
    {
        var region = (SoakRegion)(id >> (NumberBits + WorkerBits));
        uint worker = (id >> NumberBits) & ((1 << WorkerBits) - 1);
        return $"{region} {worker}/{id & MaxNumber}";
    }
}

/// <summary>Where a value belongs.</summary>
internal enum SoakRegion
{
    /// <summary>To one worker, in the pile.</summary>
    Own,

    /// <summary>To all workers, in the pile.</summary>
    Shared,

    /// <summary>To one worker, in the durable table.</summary>
    Kept,

    /// <summary>To all workers, in the table with expiry.</summary>
    Limited,

    /// <summary>To one worker, in the table with tags and priorities.</summary>
    Tagged,

    /// <summary>To one worker, in a table that is dropped again.</summary>
    Passing,
}
