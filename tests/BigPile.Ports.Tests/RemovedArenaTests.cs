using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Ports.Tests;

/// <summary>An arena whose files somebody removes while it is open, as a system does when its user logs out.</summary>
public sealed class RemovedArenaTests : IDisposable
{
    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [LinuxTheory]
    [InlineData("*")]
    [InlineData("*.arena")]
    public async Task All_that_have_it_open_are_told_whatever_they_do(string removed)
    {
        SharedArena left = _directory.Open();
        SharedArena right = _directory.Open();
        using SendPort sender = left.OpenSendPort("p", FullPolicy.DropOldest);
        using ReceivePort receiver = right.OpenReceivePort("p");
        using SendPort full = left.OpenSendPort("full", FullPolicy.Wait, depth: 1);
        using MulticastPort cast = left.OpenMulticastPort("m");
        using MulticastReceiver listener = right.OpenMulticastReceiver("m");
        PortSelector selector = right.CreateSelector();
        selector.Add(receiver);
        using SharedObject kept = left.Allocate(64);
        full.Send(kept);
        Task<SharedObject?> pending = receiver.ReceiveAsync();
        Task sending = full.SendAsync(kept);
        Task waiting = Task.Factory.StartNew(() => full.Send(kept), TaskCreationOptions.LongRunning);
        Task<ReceivePort?> selecting =
            Task.Factory.StartNew(() => selector.Select(Timeout.InfiniteTimeSpan), TaskCreationOptions.LongRunning);
        Task<SharedObject?> listening = Task.Factory.StartNew(listener.Receive, TaskCreationOptions.LongRunning);
        foreach (string file in Directory.GetFiles(_directory.Path, removed))
            File.Delete(file);
        foreach (Task told in new Task[] { pending, sending, waiting, listening })
            await Assert.ThrowsAsync<ArenaRemovedException>(() => told.WaitAsync(Eventually.Timeout));
        try
        {
            Assert.NotNull(await selecting.WaitAsync(Eventually.Timeout)); // which throws when it is asked
        }
        catch (ArenaRemovedException)
        {
            // by itself
        }
        await ThrowsSoonAsync(() => sender.TrySend(kept));
        await ThrowsSoonAsync(() => cast.TrySend(kept));
        await ThrowsSoonAsync(() => receiver.TryReceive(out _));
        await ThrowsSoonAsync(() => left.Allocate(1).Dispose());
        Assert.Throws<ArenaRemovedException>(() => left.OpenSendPort("more"));
        Assert.Throws<ArenaRemovedException>(() => right.OpenReceivePort("p"));
        Assert.Throws<ArenaRemovedException>(() => left.OpenMulticastPort("more"));
        Assert.Throws<ArenaRemovedException>(() => right.OpenMulticastReceiver("m"));
        Assert.Equal(64, kept.Bytes.Length); // what is held stays
        if (removed != "*")
        {
            var refused = Assert.Throws<InvalidDataException>(() => _directory.Open());
            Assert.Contains("close it everywhere first", refused.Message, StringComparison.Ordinal);
        }
        left.Dispose();
        right.Dispose();
        if (removed != "*")
            return;
        // Those who come now meet in another one, which the closing of the first has not touched.
        using SharedArena again = _directory.Open();
        using SharedArena other = _directory.Open();
        using SendPort port = again.OpenSendPort("p");
        using (SharedObject sent = again.Allocate(8))
            port.Send(sent);
        using ReceivePort end = other.OpenReceivePort("p");
        using SharedObject? received = end.Receive();
        Assert.NotNull(received);
    }

    // The name is checked every 50 ms; until then nothing is reported.
    private static Task ThrowsSoonAsync(Action action) => Eventually.TrueAsync(() =>
    {
        try
        {
            action();
            return false;
        }
        catch (ArenaRemovedException e)
        {
            return e.Message.Contains("was removed or replaced", StringComparison.Ordinal);
        }
    });

    [Fact]
    public void Nothing_lives_once_all_was_received_and_let_go()
    {
        using SharedArena left = _directory.Open();
        using SharedArena right = _directory.Open();
        using SendPort sender = left.OpenSendPort("p");
        using ReceivePort receiver = right.OpenReceivePort("p");
        for (int i = 0; i < 3; i++)
        {
            using (SharedObject sent = left.Allocate(100))
                sender.Send(sent);
            using SharedObject? received = receiver.Receive();
        }
        foreach (SharedArena arena in new[] { right, left })
            Assert.Equal((0, 0), (arena.Statistics.Objects, arena.Statistics.UsedBytes));
    }
}
