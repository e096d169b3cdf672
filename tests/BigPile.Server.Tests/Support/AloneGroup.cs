namespace BigPile.Server.Tests.Support;

/// <summary>Tests that measure the process, and so run while no other does.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneGroup
{
    internal const string Name = "alone";
}
