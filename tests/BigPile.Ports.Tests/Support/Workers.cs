using System;

namespace BigPile.Ports.Tests;

/// <summary>What the processes do that the torture kills: one sends numbered messages, one receives and checks them.</summary>
internal static class Workers
{
    /// <summary>A receiver says each time that it has received so many.</summary>
    internal const int CountedMessages = 10;
    internal const char CountedLine = '.';
    private const int SendersBits = 40;
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(60);

    /// <summary>Sends until it is killed. The number of the process goes before those of its messages.</summary>
    internal static int Send(SharedArena arena, string name, int process, int seed)
    {
        var random = new Random(seed);
        using SendPort port = arena.OpenSendPort(name, name[0] == 'd' ? FullPolicy.DropOldest : FullPolicy.Wait, 8);
        for (long number = (long)process << SendersBits; ; number++)
        {
            SharedObject? made;
            while ((made = arena.TryAllocate(8 * random.Next(1, 1200))) == null)
            {
            }
            using (made)
            {
                Message.Fill(made.WritableBytes, number);
                if (!TrySend(port, made))
                    return Fault($"'{name}' was full for {WaitLimit}");
            }
        }
    }

    /// <summary>Receives until it is killed, or something is wrong.</summary>
    internal static int Receive(SharedArena arena, string name)
    {
        using ReceivePort port = arena.OpenReceivePort(name, 8);
        var waited = System.Diagnostics.Stopwatch.StartNew();
        int count = 0;
        for (long last = -1; waited.Elapsed < WaitLimit;)
        {
            if (!TryReceive(port, out SharedObject? received))
                continue;
            if (++count % CountedMessages == 0)
                Console.WriteLine(CountedLine);
            waited.Restart();
            using (received)
            {
                long number = Message.NumberOf(received!.Bytes);
                if (number < 0)
                    return Fault($"'{name}': a message is half another one, behind {last:X}");
                if (number <= last)
                    return Fault($"'{name}': {number:X} behind {last:X}");
                last = number;
            }
        }
        return Fault($"'{name}' had nothing for {WaitLimit}");
    }

    private static bool TrySend(SendPort port, SharedObject made)
    {
        while (true)
        {
            try
            {
                return port.TrySend(made, WaitLimit);
            }
            catch (PeerLostException)
            {
                // another receiver comes
            }
        }
    }

    private static bool TryReceive(ReceivePort port, out SharedObject? received)
    {
        received = null;
        try
        {
            return port.TryReceive(TimeSpan.FromSeconds(1), out received) == ReceiveResult.Received;
        }
        catch (PeerLostException)
        {
            return false; // another sender comes
        }
    }

    internal static int Fault(string what)
    {
        Console.WriteLine("fault: " + what);
        return 3;
    }
}
