using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Ports.Channels;
using BigPile.Ports.Layout;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Tests;

/// <summary>Words of a port that another process wrote over, and calls that end at the wrong time.</summary>
public sealed unsafe class SenderCorruptionTests : IDisposable
{
    private static readonly ArenaShape Shape = new(4096, 256, 16, 16, 16);

    private readonly ArenaDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(long.MaxValue)]
    [InlineData(long.MinValue)]
    [InlineData(-1)]
    public void Counters_that_no_port_reaches_are_refused(long number)
    {
        using SharedArena arena = _directory.Open();
        using ReceivePort receiver = arena.OpenReceivePort("p");
        using MulticastReceiver one = arena.OpenMulticastReceiver("m");
        Access((start, _) =>
        {
            foreach (PortRecord port in (PortRecord[])[Shape.Port(start, 0), Shape.Multicast(start, 0).Port])
                port.Tail = port.Taken = number;
        });
        Assert.Throws<InvalidDataException>(() => arena.OpenSendPort("p"));
        Assert.Throws<InvalidDataException>(() => arena.OpenMulticastPort("m"));
        Assert.Throws<InvalidDataException>(() => arena.OpenMulticastReceiver("m"));
    }

    /// <summary>The word is for other processes: the sender knows by itself what it has released.</summary>
    [Theory]
    [InlineData(long.MaxValue)]
    [InlineData(long.MinValue)]
    public void A_call_without_a_thread_does_not_trust_the_released_number(long number)
    {
        using SharedArena arena = _directory.Open();
        using MulticastReceiver receiver = arena.OpenMulticastReceiver("m", depth: 1);
        using MulticastPort sender = arena.OpenMulticastPort("m", SlowReceiverPolicy.Wait, depth: 1);
        Cast.Send(arena, sender, 0);
        using SharedObject sent = Cast.Make(arena, 1);
        Task sending = sender.SendAsync(sent);
        Access((start, _) => Shape.Multicast(start, 0).Port.Reclaimed = number);
        int[] first = [.. Cast.Drain(receiver)]; // with the second, if its sender is fast
        Assert.True(sending.Wait(Eventually.Timeout));
        Assert.Equal([0, 1], [.. first, .. Cast.Drain(receiver)]);
    }

    [Fact]
    public void A_sender_that_is_refused_holds_nothing()
    {
        using SharedArena arena = _directory.Open();
        using SharedArena other = _directory.Open();
        using ReceivePort receiver = arena.OpenReceivePort("p");
        using (SendPort sender = arena.OpenSendPort("p"))
        {
            using SharedObject first = Cast.Make(arena, 0);
            using SharedObject second = Cast.Make(arena, 1);
            sender.Send(first);
            sender.Send(second);
        }
        Access((start, _) => *(long*)(start + Offset(start, Shape.Port(start, 0)) + PortRecord.Bytes + RingEntry.Bytes) ^= 4);
        Assert.Throws<InvalidDataException>(() => other.OpenSendPort("p"));
        Assert.Equal(0, Cast.NumberOf(receiver.Receive()));
        Assert.Equal(1, arena.Statistics.Objects);
    }

    [Fact]
    public void An_object_that_is_disposed_while_its_sender_waits_is_not_sent()
    {
        using SharedArena arena = _directory.Open();
        using SendPort sender = arena.OpenSendPort("p", depth: 1);
        using ReceivePort receiver = arena.OpenReceivePort("p");
        using (SharedObject first = Cast.Make(arena, 0))
            sender.Send(first);
        SharedObject sent = Cast.Make(arena, 1);
        Task sending = SideBySide.Start(() => sender.Send(sent));
        Access((start, _) => Eventually.True(() => *(int*)(start + Offset(start, Shape.Port(start, 0)) + 320 + 64) != 0)); // it sleeps
        sent.Dispose();
        Assert.Equal(0, Cast.NumberOf(receiver.Receive()));
        Assert.IsType<ObjectDisposedException>(Assert.Throws<AggregateException>(() => sending.Wait(Eventually.Timeout)).InnerException);
        using (SharedObject last = Cast.Make(arena, 2))
            sender.Send(last);
        Assert.Equal(2, Cast.NumberOf(receiver.Receive()));
        Assert.Equal(0, arena.Statistics.Objects);
    }

    [Fact]
    public void A_call_that_comes_too_late_leaves_nothing_at_its_token()
    {
        const int WakeEventBytes = 128;
        void* memory = NativeMemory.AlignedAlloc(WakeEventBytes, WakeEventBytes);
        new Span<byte>(memory, WakeEventBytes).Clear();
        var wakeEvent = new WakeEvent((byte*)memory);
        var work = new PendingWork(wakeEvent, new SpinThenWait(TimeSpan.Zero));
        work.End();
        using var source = new CancellationTokenSource();
        var call = new PendingCall<bool>(() => (true, true), () => true, () => { });
        Assert.Throws<ObjectDisposedException>((Action)(() => _ = call.Begin(work, wakeEvent, source.Token)));
        uint before = wakeEvent.Signals;
        source.Cancel();
        Assert.Equal(before, wakeEvent.Signals);
        NativeMemory.AlignedFree(memory);
    }

    private static long Offset(byte* start, PortRecord port) => (byte*)Unsafe.AsPointer(ref port.IsUsed) - start;

    private void Access(AccessArena access)
    {
        using var file = MemoryMappedFile.CreateFromFile(Path.Combine(_directory.Path, ArenaDirectory.Name + ".arena"), FileMode.Open);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor();
        byte* start = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        access(start, view.Capacity);
        view.SafeMemoryMappedViewHandle.ReleasePointer();
    }

    private delegate void AccessArena(byte* start, long lengthBytes);
}
