using System;
using System.Globalization;

namespace BigPile.Ports.Tests;

/// <summary>Another process writes over the arena: what is read there is checked.</summary>
public sealed class CorruptWordTests(Xunit.Abstractions.ITestOutputHelper output) : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Each_word_in_turn_changed_ends_in_an_exception_or_right_data()
    {
        int seed = TestLeg.Seed(5);
        (int exitCode, string said) = Child.Run(
            "hostile", _directory.Path, seed.ToString(CultureInfo.InvariantCulture), TestLeg.IsLong ? "20" : "1");
        output.WriteLine($"seed {seed}, exit code {exitCode}, {said}");
        Assert.Equal(0, exitCode);
        Assert.StartsWith("words ", said, StringComparison.Ordinal);
        Assert.DoesNotContain("refused 0", said, StringComparison.Ordinal);
        Assert.DoesNotContain("port 0", said, StringComparison.Ordinal);
    }
}
