using System.Runtime.CompilerServices;

namespace BigPile.Tests.Codec;

/// <summary>
/// What is written between two checks of the buffer's capacity fits into its slack, wherever in the payload the buffer must grow.
/// </summary>
public sealed class BufferSlackTests
{
    // The buffer first grows at 16 KiB: the filler before the object moves this place through it.
    private const int FillerMost = 16 * 1024;
    private const int FillerStep = 512;

    /// <summary>The fields after the reference are all written when the objects inside are: innermost first.</summary>
    [Theory]
    [InlineData(CodecMode.Interpreted)]
    [InlineData(CodecMode.Generated)]
    public void FieldsAfterAReference(CodecMode mode)
    {
        Chained? chain = null;
        for (int i = 0; i < 128; i++)
            chain = new Chained { Next = chain, A = long.MaxValue - i, B = i, C = long.MinValue + i, D = i / 3.0, E = -i };
        Write(mode, chain!);
    }

    [Theory]
    [InlineData(CodecMode.Interpreted)]
    [InlineData(CodecMode.Generated)]
    public void FieldsAfterAStructure(CodecMode mode)
    {
        var value = default(Four<Four<Four<Four<int>>>>);
        value.Inner.D = 1.50m;
        Write(mode, new Box<Four<Four<Four<Four<int>>>>> { Content = value });
    }

    /// <summary>An array that is written after the root has its dimensions in the reference.</summary>
    [Theory]
    [InlineData(CodecMode.Interpreted)]
    [InlineData(CodecMode.Generated)]
    public void ReferencesToDeferredArrays(CodecMode mode)
    {
        var many = default(Arrays);
        foreach (ref int[,,,,,,,,,,,,,,,]? array in many)
            array = new int[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
        object graph = new Box<Arrays> { Content = many };
        for (int i = 0; i < 126; i++)
            graph = new object[] { graph };
        Write(mode, graph);
    }

    private static void Write(CodecMode mode, object value)
    {
        var fixture = new CodecFixture(mode);
        for (int filler = 0; filler <= FillerMost; filler += FillerStep)
        {
            object?[] graph = [new byte[filler], value];
            GraphAssert.Same(graph, fixture.Read(fixture.Write(graph)));
        }
    }

    private sealed class Chained
    {
        public Chained? Next;
        public long A;
        public long B;
        public long C;
        public double D;
        public double E;
    }

    private sealed class Box<T>
    {
        public T? Content;
    }

#pragma warning disable CS0649 // Zeros suffice.
    private struct Four<T>
    {
        public Nest<Nest<Nest<Nest<T>>>> Inner;
    }

    private struct Nest<T>
    {
        public T Before;
        public decimal A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, U;
    }
#pragma warning restore CS0649

    [InlineArray(62)]
    private struct Arrays
    {
        private int[,,,,,,,,,,,,,,,]? _first;
    }
}
