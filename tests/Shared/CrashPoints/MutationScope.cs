using System;
using System.Threading;
#if CRASH_POINTS
using BigPile.Memory.Checking;
#endif

namespace BigPile.Testing;

/// <summary>Plants mistakes in what the test's threads do, until it is disposed.</summary>
internal sealed class MutationScope : IDisposable
{
    private static readonly AsyncLocal<string?[]?> OfThisTest = new();

    private readonly string?[]? _outer = OfThisTest.Value;

    static MutationScope()
    {
#if CRASH_POINTS
        Mutations.Planted = static name => OfThisTest.Value is { } planted && planted.Contains(name);
#endif
    }

    /// <param name="mutations">The names of the mistakes; none plants none.</param>
    internal MutationScope(params string?[] mutations) => OfThisTest.Value = mutations;

    public void Dispose() => OfThisTest.Value = _outer;
}
