using System;
using System.Threading.Tasks;

namespace BigPile.Tests.Durability;

/// <summary>An opening that waits for whoever has the pile.</summary>
public sealed class OpenTimeoutTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void It_goes_on_once_the_other_has_closed_the_pile()
    {
        Pile first = Open(TimeSpan.Zero);
        PilePointer pointer = first.Put("kept");
        Task<string> waiting = SideBySide.Start(() =>
        {
            using Pile second = Open(Eventually.Timeout);
            return (string)second.Get(pointer)!;
        });
        Assert.False(waiting.Wait(TimeSpan.FromMilliseconds(100)));
        first.Dispose();
        Assert.Equal("kept", waiting.Result);
    }

    [Fact]
    public void It_ends_with_the_owner_and_the_remedy()
    {
        using Pile first = Open(TimeSpan.Zero);
        string message = Assert.Throws<PileStorageException>(() => Open(TimeSpan.FromMilliseconds(50))).Message;
        Assert.Contains($"in use by process {Environment.ProcessId}", message, StringComparison.Ordinal);
        Assert.Contains("PileOptions.OpenTimeout", message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(8)]
    public void It_is_from_nothing_to_a_week(int days)
    {
        ArgumentException error = Assert.Throws<ArgumentException>(() => Open(TimeSpan.FromDays(days)));
        Assert.Contains("PileOptions.OpenTimeout", error.Message, StringComparison.Ordinal);
    }

    private Pile Open(TimeSpan timeout) =>
        Pile.Open(_directory.Path, new PileOptions { SegmentBytes = 4 << 20, OpenTimeout = timeout });
}
