using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;

namespace BigPile.Ports.Tests;

public sealed class ArenaTests(Xunit.Abstractions.ITestOutputHelper output) : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(4096)]
    [InlineData(4097)]
    [InlineData(1 << 20)]
    public void An_object_has_any_size_from_none_to_the_arena(int lengthBytes)
    {
        using SharedArena arena = _directory.Open();
        using SharedObject made = arena.Allocate(lengthBytes);
        made.WritableBytes.Fill(0x5A);
        Assert.Equal(lengthBytes, made.Bytes.Length);
        Assert.True(made.Bytes.IndexOfAnyExcept((byte)0x5A) < 0);
        SharedArenaStatistics statistics = arena.Statistics;
        Assert.Equal((1, lengthBytes, 1), (statistics.Objects, statistics.LengthBytes, statistics.Processes));
        Assert.Equal(statistics.CapacityBytes, statistics.UsedBytes + statistics.FreeBytes);
        Assert.Throws<ArgumentOutOfRangeException>(() => arena.Allocate(arena.CapacityBytes + 1));
    }

    [Fact]
    public void A_full_arena_says_so_and_takes_again_what_was_freed()
    {
        using SharedArena arena = _directory.Open();
        SharedObject[] all = [.. Enumerable.Range(0, 256).Select(_ => arena.Allocate(4096))];
        Assert.Equal(0, arena.Statistics.FreeBytes);
        Assert.Throws<ArenaFullException>(() => arena.Allocate(0));
        all[7].Dispose();
        all[8].Dispose();
        all[8].Dispose();
        Assert.Null(arena.TryAllocate(8193));
        using SharedObject again = arena.Allocate(8192);
        Assert.Throws<ObjectDisposedException>(() => all[7].Bytes.Length);
        Assert.Null(arena.TryAllocate(1));
    }

    [LinuxFact]
    [SupportedOSPlatform("linux")]
    public void The_file_is_all_there_and_nobody_elses()
    {
        using SharedArena arena = _directory.Open();
        string path = Path.Combine(_directory.Path, "test.arena");
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
        Assert.True(Memory.FileStatus.Of(path)!.Value.AllocatedBytes >= new FileInfo(path).Length);
        Assert.Throws<IOException>(() => SharedArena.TryRemove(ArenaDirectory.Name, _directory.Path));
        arena.Dispose();
        arena.Dispose();
        Assert.Throws<ObjectDisposedException>(() => arena.Allocate(1));
        Assert.True(SharedArena.TryRemove(ArenaDirectory.Name, _directory.Path));
        Assert.False(SharedArena.TryRemove(ArenaDirectory.Name, _directory.Path));
    }

    [LinuxFact]
    [SupportedOSPlatform("linux")]
    public void A_directory_of_others_is_refused()
    {
        Directory.CreateDirectory(_directory.Path, (UnixFileMode)0x1FF);
        File.SetUnixFileMode(_directory.Path, (UnixFileMode)0x1FF);
        Assert.Contains("Other users", Assert.Throws<IOException>(() => _directory.Open()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_arena_without_room_is_an_exception_and_leaves_nothing()
    {
        Assert.Throws<IOException>(() => _directory.Open((1L << 40) - (4L << 20), 1 << 20));
        Assert.Empty(Directory.EnumerateFiles(_directory.Path, "*.arena"));
        using SharedArena arena = _directory.Open();
    }

    [Theory]
    [InlineData("")]
    [InlineData("../x")]
    [InlineData(".x")]
    public void A_name_that_leads_elsewhere_is_refused(string name) => Assert.Throws<ArgumentException>(() => SharedArena.Open(name));

    [Fact]
    public void Options_without_meaning_are_named()
    {
        Assert.Contains("GranuleBytes", Refusal(new() { GranuleBytes = 100 }), StringComparison.Ordinal);
        Assert.Contains("CapacityBytes", Refusal(new() { CapacityBytes = 0 }), StringComparison.Ordinal);
        Assert.Contains("CapacityBytes", Refusal(new() { CapacityBytes = long.MaxValue }), StringComparison.Ordinal);
        Assert.Contains("MaxPorts", Refusal(new() { MaxPorts = 0 }), StringComparison.Ordinal);
        Assert.Contains("MaxMulticastPorts", Refusal(new() { MaxMulticastPorts = -1 }), StringComparison.Ordinal);
        Assert.Contains("MaxDepth", Refusal(new() { MaxDepth = 3 }), StringComparison.Ordinal);
        Assert.Contains("Spin", Refusal(new() { Spin = TimeSpan.FromTicks(-1) }), StringComparison.Ordinal);
    }

    [Fact]
    public void Objects_never_overlap_and_the_account_is_exact()
    {
        int seed = TestLeg.Seed(20);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        using SharedArena first = _directory.Open(1 << 18, 256);
        using SharedArena second = _directory.Open();
        var held = new List<(SharedObject Object, byte Mark)>();
        for (int step = 0; step < TestLeg.Steps(20_000, 1_000_000); step++)
        {
            if (random.Next(held.Count + 20) < 20 && (step % 2 == 0 ? first : second).TryAllocate(LengthOf(random)) is { } made)
            {
                held.Add((made, (byte)step));
                made.WritableBytes.Fill((byte)step);
            }
            else if (held.Count > 0)
            {
                int index = random.Next(held.Count);
                Assert.True(held[index].Object.Bytes.IndexOfAnyExcept(held[index].Mark) < 0);
                held[index].Object.Dispose();
                held.RemoveAt(index);
            }
            if (step % 500 == 0)
                CheckAccount(first.Statistics, held);
        }
        held.ForEach(static one => one.Object.Dispose());
        CheckAccount(second.Statistics, []);
    }

    private static long LengthOf(Random random) => random.Next(4) == 0 ? random.Next(20_000) : random.Next(600);

    private static void CheckAccount(SharedArenaStatistics statistics, List<(SharedObject Object, byte Mark)> held)
    {
        Assert.Equal((held.Count, held.Sum(static one => one.Object.LengthBytes)), (statistics.Objects, statistics.LengthBytes));
        Assert.Equal(statistics.CapacityBytes, statistics.UsedBytes + statistics.FreeBytes);
    }

    private string Refusal(SharedArenaOptions options) =>
        Assert.Throws<ArgumentException>(() => SharedArena.Open("test", options with { Directory = _directory.Path })).Message;
}
