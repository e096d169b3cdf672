using System;
using System.Threading;
using BigPile.Memory.Checking;

namespace BigPile.Testing;

/// <summary>Plants a mistake in what the test's threads do, until it is disposed.</summary>
internal sealed class MutationScope : IDisposable
{
    private static readonly AsyncLocal<string?> OfThisTest = new();

    private readonly string? _outer = OfThisTest.Value;

    static MutationScope() => Mutations.Planted = static name => OfThisTest.Value == name;

    /// <param name="mutation">The mistake's name; null plants none.</param>
    internal MutationScope(string? mutation) => OfThisTest.Value = mutation;

    public void Dispose() => OfThisTest.Value = _outer;
}
