namespace BigPile.Telemetry;

/// <summary>A pile as its meter sees it.</summary>
internal interface IMeteredPile
{
    /// <summary>What the pile is called.</summary>
    string Name { get; }

    /// <summary>Whether it was closed.</summary>
    bool IsDisposed { get; }

    /// <summary>What it holds.</summary>
    PileStatistics Statistics { get; }

    /// <summary>Blocks that are leased.</summary>
    int LeaseCount { get; }
}
