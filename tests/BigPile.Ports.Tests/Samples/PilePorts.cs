using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace BigPile.Ports.Tests.Samples;

/// <summary>The README's way of a pointer from one process to another.</summary>
internal static class PilePorts
{
    // README: pointers through ports
    public static void Send(SharedArena arena, SendPort port, params ReadOnlySpan<PilePointer> pointers)
    {
        using SharedObject message = arena.Allocate(pointers.Length * sizeof(ulong)); // a pointer is 8 bytes, wherever it goes
        Span<ulong> words = MemoryMarshal.Cast<byte, ulong>(message.WritableBytes);
        for (int i = 0; i < pointers.Length; i++)
            words[i] = pointers[i].ToUInt64();
        port.Send(message);
    }

    public static IEnumerable<PilePointer> Receive(ReceivePort port)
    {
        while (port.Receive() is { } message)
        {
            ulong[] words;
            using (message)
                words = MemoryMarshal.Cast<byte, ulong>(message.Bytes).ToArray();
            foreach (ulong word in words)
                yield return PilePointer.FromUInt64(word);
        }
    }
    // README: end of pointers through ports
}
