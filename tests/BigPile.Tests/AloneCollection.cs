namespace BigPile.Tests;

/// <summary>Tests that watch the collector, which tests running beside them would disturb.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    internal const string Name = "Alone";
}
