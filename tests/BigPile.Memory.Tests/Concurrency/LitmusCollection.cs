namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Tests that plant mistakes for all threads.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class LitmusCollection
{
    internal const string Name = "Litmus";
}
