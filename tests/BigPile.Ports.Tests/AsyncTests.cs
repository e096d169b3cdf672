using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Ports.Tests;

public sealed class AsyncTests : IDisposable
{
    private readonly ArenaDirectory _directory = new();
    private readonly SharedArena _left;
    private readonly SharedArena _right;

    public AsyncTests()
    {
        _left = _directory.Open();
        _right = _directory.Open();
    }

    public void Dispose()
    {
        _left.Dispose();
        _right.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public async Task All_come_in_order_though_both_sides_wait()
    {
        using SendPort sender = _left.OpenSendPort("p", depth: 2);
        using ReceivePort receiver = _right.OpenReceivePort("p");
        int count = TestLeg.Steps(5_000, 200_000);
        Task sending = Task.Run(async () =>
        {
            for (int number = 0; number < count; number++)
            {
                using SharedObject sent = _left.Allocate(sizeof(int));
                BitConverter.TryWriteBytes(sent.WritableBytes, number);
                await sender.SendAsync(sent);
            }
            sender.Dispose();
        });
        for (int number = 0; number < count; number++)
        {
            using SharedObject received = (await receiver.ReceiveAsync())!;
            Assert.Equal(number, BitConverter.ToInt32(received.Bytes));
        }
        Assert.Null(await receiver.ReceiveAsync());
        await sending;
    }

    [Fact]
    public async Task Many_wait_at_once_and_each_gets_its_own()
    {
        (SendPort Sender, Task<SharedObject?> Receiving)[] ports =
        [
            .. Enumerable.Range(0, 8).Select(number =>
                (_left.OpenSendPort("p" + number), _right.OpenReceivePort("p" + number).ReceiveAsync())),
        ];
        for (int number = 7; number >= 0; number--)
        {
            Assert.False(ports[number].Receiving.IsCompleted);
            using SharedObject sent = _left.Allocate(number);
            await ports[number].Sender.SendAsync(sent);
            using SharedObject received = (await ports[number].Receiving)!;
            Assert.Equal(number, received.LengthBytes);
        }
    }

    [Fact]
    public async Task A_call_that_is_cancelled_takes_nothing()
    {
        using SendPort sender = _left.OpenSendPort("p", depth: 1);
        using ReceivePort receiver = _right.OpenReceivePort("p");
        using var cancel = new CancellationTokenSource();
        Task<SharedObject?> receiving = receiver.ReceiveAsync(cancel.Token);
        cancel.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => receiving);
        using SharedObject sent = _left.Allocate(1);
        await sender.SendAsync(sent);
        using var cancelSending = new CancellationTokenSource();
        Task sending = sender.SendAsync(sent, cancelSending.Token);
        cancelSending.Cancel();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending);
        (await receiver.ReceiveAsync())!.Dispose();
        Assert.Equal(ReceiveResult.Nothing, receiver.TryReceive(out _));
    }

    [Fact]
    public async Task Who_waits_is_told_that_the_port_or_the_peer_is_gone()
    {
        using ReceivePort closed = _right.OpenReceivePort("closed");
        Task<SharedObject?> atClosed = closed.ReceiveAsync();
        closed.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => atClosed);
        using ReceivePort lost = _right.OpenReceivePort("lost");
        using Process child = Child.Start("bind", _directory.Path, "lost");
        Assert.Equal("bound", await child.StandardOutput.ReadLineAsync());
        Task<SharedObject?> atLost = lost.ReceiveAsync();
        child.Kill();
        using SharedObject last = (await atLost)!;
        await Assert.ThrowsAsync<PeerLostException>(() => lost.ReceiveAsync());
        Assert.Equal(1, _right.Statistics.Objects);
        using SendPort sender = _left.OpenSendPort("lives");
        Task<SharedObject?> atEnd = _right.OpenReceivePort("lives").ReceiveAsync();
        _right.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => atEnd);
    }
}
