using System;
using System.Threading;

namespace BigPile.Tests.Codec;

public sealed class DepthTests
{
    private const int SmallStackBytes = 256 * 1024;

    [Theory]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(129)]
    [InlineData(1000)]
    [InlineData(1_000_000)]
    public void ListOfManyNodes(int count) => OnSmallStack(() =>
    {
        var first = new Node { Value = 0 };
        Node last = first;
        for (int i = 1; i < count; i++)
            last = last.Next = new Node { Value = i, Other = i % 3 == 0 ? first : null };
        last.Next = first;
        foreach (CodecMode mode in Enum.GetValues<CodecMode>())
        {
            var fixture = new CodecFixture(mode);
            var copy = (Node)fixture.Read(fixture.Write(first));
            CheckChain(first, copy);
        }
    });

    private static void CheckChain(Node first, Node copy)
    {
        Node expected = first;
        Node actual = copy;
        do
        {
            Assert.True(
                expected.Value == actual.Value && (expected.Other is null ? actual.Other is null : ReferenceEquals(actual.Other, copy)));
            (expected, actual) = (expected.Next!, actual.Next!);
        }
        while (!ReferenceEquals(expected, first));
        Assert.Same(copy, actual);
    }

    /// <summary>Each node has two children, one of which continues: no branch is the last that is written.</summary>
    [Fact]
    public void TreeOfADepthOfAHundredThousand() => OnSmallStack(() =>
    {
        const int Depth = 100_000;
        Node? root = null;
        for (int i = 0; i < Depth; i++)
            root = i % 2 == 0
                ? new Node { Value = i, Next = root, Other = new Node { Value = -i } }
                : new Node { Value = i, Other = root, Next = new Node { Value = -i } };
        foreach (CodecMode mode in Enum.GetValues<CodecMode>())
        {
            var fixture = new CodecFixture(mode);
            var copy = (Node?)fixture.Read(fixture.Write(root!));
            for (int i = Depth - 1; i >= 0; i--)
            {
                (Node? deep, Node? leaf) = i % 2 == 0 ? (copy!.Next, copy.Other) : (copy!.Other, copy.Next);
                Assert.True(copy.Value == i && leaf!.Value == -i && leaf.Next == null && leaf.Other == null);
                copy = deep;
            }
            Assert.Null(copy);
        }
    });

    [Fact]
    public void DeepNestOfEveryKindOfContainer() => OnSmallStack(() =>
    {
        object graph = "end";
        for (int i = 0; i < 5000; i++)
        {
            graph = (i % 6) switch
            {
                0 => new object[] { graph, i },
                1 => new System.Collections.Generic.List<object> { graph },
                2 => new System.Collections.Generic.Dictionary<string, object> { ["k"] = graph },
                3 => new Drawing { Tag = graph },
                4 => new object[1, 2] { { graph, graph } },
                _ => Tuple.Create(graph),
            };
        }
        var fixture = new CodecFixture();
        GraphAssert.Same(graph, fixture.Read(fixture.Write(graph)));
    });

    [Fact]
    public void NestingOnTheWireIsBounded() => OnSmallStack(() =>
    {
        var fixture = new CodecFixture();
        byte[] once = fixture.Write(new object?[] { new object?[] { null } });
        // 91 92 d4 79 id c0: an object array in an object array. The inner part is repeated.
        byte[] nest = once[5..^1];
        byte[] payload = new byte[5 + nest.Length * 100_000 + 1];
        once.AsSpan(0, 5).CopyTo(payload);
        for (int i = 0; i < 100_000; i++)
            nest.CopyTo(payload, 5 + i * nest.Length);
        payload[^1] = 0xc0;
        Assert.Throws<PileSerializationException>(() => fixture.Read(payload));
    });

    private static void OnSmallStack(Action action)
    {
        Exception? error = null;
        var thread = new Thread(() => error = Record.Exception(action), SmallStackBytes);
        thread.Start();
        thread.Join();
        Assert.Null(error);
    }
}
