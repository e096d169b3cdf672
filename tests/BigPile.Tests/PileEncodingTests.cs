using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;

namespace BigPile.Tests;

/// <summary>Objects as bytes outside of a pile; what a pile says of its health; an opening that is stopped.</summary>
public sealed class PileEncodingTests
{
    private static readonly PileOptions Small = new() { SegmentBytes = 4 << 20 };

    [Fact]
    public void A_portable_payload_is_read_by_the_codec_of_another_pile()
    {
        using var first = new Pile(Small);
        using var second = new Pile(Small);
        second.Put(new List<Version> { new(9, 9) }); // so that its own codec has other numbers
        var value = new Dictionary<string, Version> { ["a"] = new(1, 2), ["b"] = new(3, 4) };
        var buffer = new PileBuffer();
        first.Encoding.CreatePortableCodec().Serialize(value, buffer);
        Assert.Equal(value, second.Encoding.CreatePortableCodec().Deserialize(buffer));
    }

    [Fact]
    public void A_piles_own_codec_is_the_one_of_its_objects()
    {
        using var pile = new Pile(Small);
        PilePointer pointer = pile.Put(new Version(1, 2));
        var buffer = new PileBuffer();
        pile.Encoding.Codec.Serialize(new Version(1, 2), buffer);
        var stored = new byte[pile.SizeOf(pointer)];
        pile.Read(pointer, stored);
        Assert.Equal(stored, buffer.WrittenSpan.ToArray());
        Assert.True(pile.Encoding.CanStore(typeof(Version), out _));
        Assert.False(pile.Encoding.CanStore(typeof(Thread), out string? reason));
        Assert.NotEmpty(reason);
    }

    [Fact]
    public void Health_tells_a_flush_that_failed_until_one_succeeds()
    {
        using var directory = new TemporaryDirectory();
        using Pile pile = Pile.Open(directory.Path, Small);
        Assert.Equal(new PileHealth(), PileHealth.Of(pile));
        pile.Put("text");
        string log = Path.Combine(directory.Path, File.Exists(Path.Combine(directory.Path, "log-0")) ? "log-1" : "log-0");
        Directory.CreateDirectory(log); // no file can have its name
        Assert.Throws<PileStorageException>(() => pile.Flush());
        PileHealth health = PileHealth.Of(pile);
        Assert.DoesNotContain(directory.Path, health.FlushTrouble, StringComparison.Ordinal);
        Assert.Contains(log, health.FlushTroubleDetails, StringComparison.Ordinal);
        Directory.Delete(log);
        pile.Flush();
        Assert.Null(PileHealth.Of(pile).FlushTrouble);
    }

    [Fact]
    public void An_opening_that_waits_can_be_stopped()
    {
        using var directory = new TemporaryDirectory();
        using Pile owner = Pile.Open(directory.Path, Small);
        using var stop = new CancellationTokenSource();
        stop.Cancel();
        Assert.ThrowsAny<OperationCanceledException>(() => Pile.Open(
            directory.Path, Small with { OpenTimeout = TimeSpan.FromMinutes(5), OpenStop = stop.Token }));
    }
}
