using System;
using System.Collections.Generic;

namespace BigPile.Tests.Codec;

/// <summary>Payloads nest no deeper than other MessagePack readers allow.</summary>
public sealed class NestingPitfallTests
{
    [Fact]
    public void NestingStaysReadableForOthers()
    {
        object graph = "end";
        for (int i = 0; i < 2000; i++)
            graph = i % 2 == 0 ? new List<object> { graph } : new Drawing { Tag = graph };
        Assert.True(NestingOf(new CodecFixture().Write(graph).AsSpan(4)) <= 500);
    }

    private static int NestingOf(ReadOnlySpan<byte> payload)
    {
        int deepest = 0;
        var open = new Stack<long>();
        while (!payload.IsEmpty)
        {
            long inner = MessagePackScan.Next(ref payload);
            if (inner > 0)
                open.Push(inner);
            deepest = Math.Max(deepest, open.Count);
            while (inner == 0 && open.TryPop(out long rest))
            {
                if (rest > 1)
                {
                    open.Push(rest - 1);
                    break;
                }
            }
        }
        return deepest;
    }
}
