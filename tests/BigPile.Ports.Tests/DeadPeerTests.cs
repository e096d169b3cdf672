using System;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Ports.Checking;

namespace BigPile.Ports.Tests;

/// <summary>What a process held is given back when it is killed, wherever it was.</summary>
public sealed class DeadPeerTests : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void What_a_killed_process_held_is_given_back()
    {
        using SharedArena arena = _directory.Open();
        using SharedObject own = arena.Allocate(10_000);
        using Process child = Child.Start("hold", _directory.Path, "20");
        Assert.Equal("holds", child.StandardOutput.ReadLine());
        Assert.Equal((21, 2), (arena.Statistics.Objects, arena.Statistics.Processes));
        Kill(child);
        Eventually.True(() => arena.Statistics.Processes == 1);
        Assert.Equal(21, arena.Statistics.Objects);
        using SharedObject large = arena.Allocate((256 - 3) * 4096L);
        Assert.Equal(2, arena.Statistics.Objects);
    }

    /// <summary>Mutations: without the cleaner everything stays, and a cleaner that ignores the ports frees what was sent.</summary>
    [Fact]
    public void Nothing_is_given_back_without_the_cleaner()
    {
        using var mutation = new MutationScope("leaves-the-dead");
        using SharedArena arena = _directory.Open();
        using Process child = Child.Start("hold", _directory.Path, "20");
        Assert.Equal("holds", child.StandardOutput.ReadLine());
        Kill(child);
        Assert.Null(arena.TryAllocate(arena.CapacityBytes));
        Assert.Equal(20, arena.Statistics.Objects);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_a_killed_process_had_sent_is_received(bool isMutation)
    {
        using var mutation = new MutationScope(isMutation ? "frees-in-flight" : null);
        using SharedArena arena = _directory.Open();
        using ReceivePort receiver = arena.OpenReceivePort("p");
        using Process child = Child.Start("bind", _directory.Path, "p");
        Assert.Equal("bound", child.StandardOutput.ReadLine());
        Kill(child);
        Eventually.True(() => arena.Statistics.Processes == 1);
        Assert.Equal(isMutation, arena.TryAllocate((256 - 2) * 4096L) is { } whole && Let(whole));
        if (isMutation)
        {
            Assert.Throws<System.IO.InvalidDataException>(() => receiver.Receive());
            return;
        }
        using (SharedObject received = receiver.Receive()!)
            Assert.Equal(10_000, received.LengthBytes);
        Assert.Throws<PeerLostException>(() => receiver.Receive());
        Assert.Equal(0, arena.Statistics.Objects);
    }

    [Fact]
    public void An_arena_that_is_forgotten_stays_open()
    {
        SharedObject held = Forget();
        for (int round = 0; round < 3; round++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        using SharedArena other = _directory.Open();
        Assert.Null(other.TryAllocate(other.CapacityBytes));
        Assert.Equal(2, other.Statistics.Processes);
        Assert.True(held.Bytes.IndexOfAnyExcept((byte)3) < 0);
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private SharedObject Forget()
    {
        SharedObject made = _directory.Open().Allocate(1000);
        made.WritableBytes.Fill(3);
        return made;
    }

    private static bool Let(SharedObject held)
    {
        held.Dispose();
        return true;
    }

    [Fact]
    public void One_that_lives_is_left_alone()
    {
        using SharedArena arena = _directory.Open();
        using Process child = Child.Start("hold", _directory.Path, "20");
        Assert.Equal("holds", child.StandardOutput.ReadLine());
        Assert.Throws<ArenaFullException>(() => arena.Allocate(arena.CapacityBytes));
        Assert.Equal((20, 2), (arena.Statistics.Objects, arena.Statistics.Processes));
        Kill(child);
        using SharedArena next = _directory.Open();
        Assert.Equal(0, arena.Statistics.Objects);
    }

    [Theory]
    [InlineData(nameof(PortCrashPoint.HeadTaken))]
    [InlineData(nameof(PortCrashPoint.GranuleTaken))]
    [InlineData(nameof(PortCrashPoint.SlotLocked))]
    public void Nothing_is_lost_of_one_that_is_killed_between_two_stores(string step)
    {
        using SharedArena arena = _directory.Open();
        using Process child = Child.Start("stop-at", _directory.Path, step);
        Assert.Equal("stopped", child.StandardOutput.ReadLine());
        if (step != nameof(PortCrashPoint.SlotLocked)) // who stops there has the control lock, and is waited for
            Assert.Null(arena.TryAllocate(arena.CapacityBytes));
        Kill(child);
        using SharedArena next = _directory.Open();
        using SharedObject all = next.Allocate(next.CapacityBytes);
        Assert.Equal((1, 0), (next.Statistics.Objects, next.Statistics.FreeBytes));
    }

    [Fact]
    public async Task One_cleaner_cleans()
    {
        using SharedArena arena = _directory.Open();
        using Process child = Child.Start("hold", _directory.Path, "20");
        Assert.Equal("holds", await child.StandardOutput.ReadLineAsync());
        int cleaned = 0;
        using var scope = new CrashPointScope<PortCrashPoint>(
            step => _ = step == PortCrashPoint.SlotCleaned ? System.Threading.Interlocked.Increment(ref cleaned) : 0);
        SharedArena[] others = [.. Enumerable.Range(0, 4).Select(_ => _directory.Open())];
        Kill(child);
        Eventually.True(() => arena.Statistics.Processes == 5);
        await Task.WhenAll(others.Select(static one => SideBySide.Start(() => one.TryAllocate(one.CapacityBytes)?.Dispose())));
        Assert.Equal((1, 0), (cleaned, arena.Statistics.Objects));
        foreach (SharedArena one in others)
            one.Dispose();
    }

    [Fact]
    public void The_65th_process_is_refused()
    {
        SharedArena[] all = [.. Enumerable.Range(0, 64).Select(_ => _directory.Open())];
        Assert.Contains("64 processes", Assert.Throws<System.IO.IOException>(() => _directory.Open()).Message, StringComparison.Ordinal);
        all[40].Dispose();
        all[40] = _directory.Open();
        foreach (SharedArena one in all)
            one.Dispose();
    }

    private static void Kill(Process child)
    {
        child.Kill();
        child.WaitForExit();
    }
}
