using System;
using System.IO;

namespace BigPile.Ports.Tests;

/// <summary>What has no meaning is refused by an exception that names it, and nothing is done.</summary>
public sealed class RefusalTests : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    private string ArenaPath => Path.Combine(_directory.Path, ArenaDirectory.Name + ".arena");

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(6)]
    [InlineData(100_000)]
    public void A_file_that_is_no_arena_stays_as_it_is(int lengthBytes)
    {
        _directory.Open().Dispose();
        Assert.True(SharedArena.TryRemove(ArenaDirectory.Name, _directory.Path));
        var other = new byte[lengthBytes];
        other[^1] = 1;
        other[Math.Min(lengthBytes - 1, 2000)] = 1; // nothing at its beginning
        File.WriteAllBytes(ArenaPath, other);
        Assert.Contains("is no arena", Assert.Throws<InvalidDataException>(() => _directory.Open()).Message, StringComparison.Ordinal);
        Assert.Equal(other, File.ReadAllBytes(ArenaPath));
    }

    [Fact]
    public void An_arena_in_use_whose_head_was_overwritten_is_not_made_anew()
    {
        using SharedArena arena = _directory.Open();
        using SharedObject held = arena.Allocate(10);
        using (var file = new FileStream(ArenaPath, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete))
            file.Write(new byte[8]);
        Assert.Contains("overwritten", Assert.Throws<InvalidDataException>(() => _directory.Open()).Message, StringComparison.Ordinal);
        Assert.Equal(1, arena.Statistics.Objects);
    }

    [LinuxFact]
    public void A_link_is_not_followed()
    {
        _directory.Open().Dispose();
        Assert.True(SharedArena.TryRemove(ArenaDirectory.Name, _directory.Path));
        string target = Path.Combine(_directory.Path, "target");
        File.WriteAllText(target, "kept");
        File.CreateSymbolicLink(ArenaPath, target);
        Assert.Contains("is a link", Assert.Throws<IOException>(() => _directory.Open()).Message, StringComparison.Ordinal);
        Assert.Equal("kept", File.ReadAllText(target));
    }

    [LinuxFact]
    public void An_arena_whose_locks_were_replaced_is_not_opened()
    {
        using SharedArena arena = _directory.Open();
        File.Delete(Path.Combine(_directory.Path, ArenaDirectory.Name + ".lock"));
        Assert.Contains(
            "lock file", Assert.Throws<InvalidDataException>(() => _directory.Open()).Message, StringComparison.Ordinal);
        Assert.True(SharedArena.TryRemove(ArenaDirectory.Name, _directory.Path));
        _directory.Open().Dispose();
    }

    [Fact]
    public void Names_that_are_no_text_are_refused()
    {
        using SharedArena arena = _directory.Open();
        Assert.ThrowsAny<ArgumentException>(() => arena.OpenSendPort("\ud800"));
        Assert.ThrowsAny<ArgumentException>(() => arena.OpenMulticastReceiver("\udbff"));
        Assert.Equal(0, arena.Statistics.Objects);
    }

    [Fact]
    public void Choices_that_there_are_not_are_refused()
    {
        using SharedArena arena = _directory.Open();
        Assert.Contains("DropOldest", Assert.Throws<ArgumentException>(() => arena.OpenSendPort("p", (FullPolicy)99)).Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => arena.OpenMulticastPort("p", (SlowReceiverPolicy)99));
        Assert.Throws<ArgumentException>(() => arena.OpenMulticastReceiver("p", (MulticastStart)99));
        Assert.Throws<ArgumentException>(() => SharedArena.Open("x", new SharedArenaOptions { Directory = "" }));
        Assert.Throws<ArgumentException>(() => SharedArena.Open("x", new SharedArenaOptions { Spin = TimeSpan.MaxValue }));
    }

    [Fact]
    public void What_was_closed_is_no_longer_used()
    {
        using SharedArena arena = _directory.Open();
        PortSelector selector = arena.CreateSelector();
        ReceivePort port = arena.OpenReceivePort("p");
        port.Dispose();
        Assert.Throws<ObjectDisposedException>(() => selector.Add(port));
        Assert.Throws<ArgumentNullException>(() => selector.Remove(null!));
        SharedObject made = arena.Allocate(1);
        Assert.True(made.IsWritable);
        made.Dispose();
        Assert.False(made.IsWritable);
    }

    [Fact]
    public void Removing_what_there_is_not_makes_nothing()
    {
        string path = Path.Combine(_directory.Path, "none");
        Assert.False(SharedArena.TryRemove("x", path));
        Assert.False(Directory.Exists(path));
    }
}
