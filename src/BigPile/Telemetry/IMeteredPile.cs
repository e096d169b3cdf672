namespace BigPile.Telemetry;

/// <summary>What the meter needs of a pile.</summary>
internal interface IMeteredPile
{
    /// <summary>The pile's name.</summary>
    string Name { get; }

    /// <summary>Whether it was closed.</summary>
    bool IsDisposed { get; }

    /// <summary>The pile's statistics.</summary>
    PileStatistics Statistics { get; }

    /// <summary>The number of leased blocks.</summary>
    int LeaseCount { get; }
}
