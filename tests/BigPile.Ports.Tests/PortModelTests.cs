using System;
using System.Collections.Generic;

namespace BigPile.Ports.Tests;

/// <summary>Ports in lock step with a model: processes, senders, policies and receivers come and go at random.</summary>
public sealed class PortModelTests(Xunit.Abstractions.ITestOutputHelper output) : IDisposable
{
    private const int Depth = 4;

    private readonly ArenaDirectory _directory = new();
    private readonly Process[] _processes = [new(), new(), new()];
    private readonly Port[] _ports = [new("a"), new("b"), new("c")];
    private int _sent;

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Each_receiver_gets_what_the_model_says(int normalSeed)
    {
        int seed = TestLeg.Seed(normalSeed);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        Array.ForEach(_processes, Open);
        int steps = TestLeg.Steps(10_000, 500_000);
        int received = 0;
        for (int step = 0; step < steps; step++)
        {
            Port port = _ports[random.Next(_ports.Length)];
            switch (random.Next(60))
            {
                case 0:
                    Reopen(_processes[random.Next(_processes.Length)]);
                    break;
                case < 6:
                    ChangeSender(port, random);
                    break;
                case < 10:
                    ChangeReceiver(port, random);
                    break;
                case < 35:
                    Send(port);
                    break;
                default:
                    received += Receive(port) ? 1 : 0;
                    break;
            }
            _processes[step % _processes.Length].Arena.CheckInvariants();
        }
        output.WriteLine($"{steps} steps, sent {_sent}, received {received}");
        Assert.True(_sent > steps / 20 && received > steps / 20);
        CloseAll();
    }

    private void Open(Process process) => process.Arena = SharedArena.Open(ArenaDirectory.Name, new SharedArenaOptions
    {
        Directory = _directory.Path, CapacityBytes = 1 << 13, GranuleBytes = 64, MaxDepth = Depth, MaxPorts = 4, MaxMulticastPorts = 1,
    });

    private void Reopen(Process process)
    {
        process.Arena.Dispose();
        foreach (Port port in _ports)
        {
            if (port.SenderProcess == process)
                port.LoseSender();
            if (port.ReceiverProcess == process)
                port.LoseReceiver();
        }
        Open(process);
    }

    private void ChangeSender(Port port, Random random)
    {
        port.Sender?.Dispose();
        port.LoseSender();
        if (random.Next(4) == 0)
            return;
        port.SenderProcess = _processes[random.Next(_processes.Length)];
        port.Policy = (FullPolicy)random.Next(3);
        port.Sender = port.SenderProcess.Arena.OpenSendPort(port.Name, port.Policy);
        if (port.Receiver == null && port.HasHadReceiver) // the port may be a new one, which nobody has received from
            _processes[0].Arena.OpenReceivePort(port.Name).Dispose();
        Assert.Throws<PortBusyException>(() => _processes[random.Next(_processes.Length)].Arena.OpenSendPort(port.Name));
    }

    private void ChangeReceiver(Port port, Random random)
    {
        port.Receiver?.Dispose();
        port.LoseReceiver();
        if (random.Next(4) == 0)
            return;
        port.ReceiverProcess = _processes[random.Next(_processes.Length)];
        port.Receiver = port.ReceiverProcess.Arena.OpenReceivePort(port.Name);
        port.HasHadReceiver = true;
    }

    private void Send(Port port)
    {
        if (port.Sender == null)
            return;
        bool isFull = port.InFlight.Count == Depth;
        using SharedObject sent = Cast.Make(port.SenderProcess!.Arena, _sent);
        Assert.Equal(!isFull || port.Policy == FullPolicy.DropOldest, port.Sender.TrySend(sent));
        if (isFull && port.Policy != FullPolicy.DropOldest)
            return;
        if (isFull)
            port.InFlight.Dequeue();
        port.InFlight.Enqueue(_sent++);
    }

    private static bool Receive(Port port)
    {
        if (port.Receiver == null)
            return false;
        ReceiveResult result = port.Receiver.TryReceive(out SharedObject? received);
        if (port.InFlight.TryDequeue(out int expected))
        {
            Assert.Equal(ReceiveResult.Received, result);
            Assert.Equal(expected, Cast.NumberOf(received));
            return true;
        }
        Assert.NotEqual(ReceiveResult.Received, result);
        return false;
    }

    private void CloseAll()
    {
        foreach (Port port in _ports)
        {
            port.Receiver?.Dispose();
            port.Sender?.Dispose();
            _processes[0].Arena.OpenReceivePort(port.Name).Dispose(); // what nobody has come for yet waits for somebody
        }
        Eventually.True(() => _processes[0].Arena.Statistics.Objects == 0);
        foreach (Process process in _processes)
            process.Arena.Dispose();
    }

    private sealed class Process
    {
        internal SharedArena Arena { get; set; } = null!;
    }

    private sealed class Port(string name)
    {
        internal string Name => name;

        internal Queue<int> InFlight { get; } = [];

        internal Process? SenderProcess { get; set; }

        internal Process? ReceiverProcess { get; set; }

        internal SendPort? Sender { get; set; }

        internal ReceivePort? Receiver { get; set; }

        internal FullPolicy Policy { get; set; }

        internal bool HasHadReceiver { get; set; }

        // Once both are gone, so is what was in flight; but it waits for the first receiver.
        internal void LoseSender()
        {
            Sender = null;
            SenderProcess = null;
            DropIfLeft();
        }

        internal void LoseReceiver()
        {
            Receiver = null;
            ReceiverProcess = null;
            DropIfLeft();
        }

        private void DropIfLeft()
        {
            if (Sender == null && Receiver == null && HasHadReceiver)
                InFlight.Clear();
        }
    }
}
