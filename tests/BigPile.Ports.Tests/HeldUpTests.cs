using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;
using BigPile.Memory;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Tests;

/// <summary>A process is stopped while it opens, closes or cleans: others that wait for a time wait no longer.</summary>
public sealed class HeldUpTests : IDisposable
{
    private static readonly TimeSpan Brief = TimeSpan.FromMilliseconds(50);

    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Calls_with_a_timeout_come_back()
    {
        using SharedArena arena = _directory.Open();
        using ReceivePort receiver = arena.OpenReceivePort("p");
        using SendPort sender = arena.OpenSendPort("q", depth: 1);
        using SharedObject sent = arena.Allocate(1);
        sender.Send(sent);
        using Process child = Child.Start("bind", _directory.Path, "p");
        Assert.Equal("bound", child.StandardOutput.ReadLine());
        receiver.Receive()!.Dispose();
        while (!HoldUp(() =>
        {
            child.Kill();
            child.WaitForExit();
            Assert.Equal(ReceiveResult.Nothing, receiver.TryReceive(2 * Brief, out _));
            Assert.False(sender.TrySend(sent, 2 * Brief));
            Assert.Null(arena.TryAllocate(arena.CapacityBytes));
            Assert.Null(arena.CreateSelector().Select(2 * Brief));
        }))
        {
            // once more: somebody had the lock just then
        }
        Assert.Throws<PeerLostException>(() => receiver.Receive());
    }

    [Fact]
    public void Who_opens_and_closes_is_told()
    {
        SharedArena arena = Open();
        SendPort port = arena.OpenSendPort("p");
        while (!HoldUp(() =>
        {
            string said = Assert.Throws<IOException>(() => arena.OpenSendPort("q")).Message;
            Assert.Contains("has held up", said, StringComparison.Ordinal);
            Assert.Throws<IOException>(Open);
            Assert.Throws<IOException>(port.Dispose);
            arena.Dispose(); // as if it had died
        }))
        {
            // once more
        }
        using SharedArena next = _directory.Open();
        using SendPort again = next.OpenSendPort("p");
        Assert.Equal((0, 1), (next.Statistics.Objects, next.Statistics.Processes));
    }

    [Fact]
    public void Who_opens_while_another_one_makes_is_told()
    {
        using SharedArena first = _directory.Open();
        using HeldDirectory directory = HeldDirectory.Open(_directory.Path);
        using var locks = new ArenaLocks(directory, ArenaDirectory.Name, Brief);
        using (locks.EnterMaking(static () => 0))
        {
            Task held = SideBySide.Start(() => Assert.Contains(
                "has held up", Assert.Throws<IOException>(Open).Message, StringComparison.Ordinal));
            Assert.True(held.Wait(Eventually.Timeout), "A call does not come back.");
        }
        Open().Dispose();
    }

    private SharedArena Open() => SharedArena.Open(
        ArenaDirectory.Name, ArenaDirectory.Options(_directory.Path, 1 << 20, 4096) with { ControlTimeout = Brief });

    private bool HoldUp(Action action)
    {
        using HeldDirectory directory = HeldDirectory.Open(_directory.Path);
        using var locks = new ArenaLocks(directory, ArenaDirectory.Name, Brief);
        if (!locks.TryEnterControl(TimeSpan.Zero, out ArenaLocks.Control control))
            return false;
        using (control)
        {
            Task held = SideBySide.Start(action);
            Assert.True(held.Wait(Eventually.Timeout), "A call does not come back.");
        }
        return true;
    }
}
