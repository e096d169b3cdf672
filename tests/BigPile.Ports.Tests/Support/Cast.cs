using System;
using System.Collections.Generic;

namespace BigPile.Ports.Tests;

/// <summary>Sends and receives numbered messages.</summary>
internal static class Cast
{
    internal static void Send(SharedArena arena, MulticastPort port, params int[] numbers)
    {
        foreach (int number in numbers)
            Assert.True(TrySend(arena, port, number, Eventually.Timeout));
    }

    internal static bool TrySend(SharedArena arena, MulticastPort port, int number, TimeSpan timeout)
    {
        using SharedObject sent = Make(arena, number);
        return port.TrySend(sent, timeout);
    }

    internal static SharedObject Make(SharedArena arena, int number)
    {
        SharedObject made = arena.Allocate(sizeof(int));
        BitConverter.TryWriteBytes(made.WritableBytes, number);
        return made;
    }

    /// <summary>The numbers of all that is there.</summary>
    internal static List<int> Drain(ReceivePort receiver)
    {
        var numbers = new List<int>();
        while (receiver.TryReceive(out SharedObject? received) == ReceiveResult.Received)
            numbers.Add(NumberOf(received));
        return numbers;
    }

    /// <summary>The number of a message, which is let go.</summary>
    internal static int NumberOf(SharedObject? received)
    {
        using (received)
            return BitConverter.ToInt32(received!.Bytes);
    }
}
