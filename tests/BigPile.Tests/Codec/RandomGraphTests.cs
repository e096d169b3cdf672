using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Runtime.InteropServices;
using Xunit.Abstractions;

namespace BigPile.Tests.Codec;

/// <summary>Random graphs, with shared objects and cycles, compared with what is read back.</summary>
public sealed class RandomGraphTests(ITestOutputHelper output)
{
    private const int Seed = 4711;
    private const int Graphs = 400;
    private const int ObjectsMost = 60;

    [Theory]
    [InlineData(CodecMode.Interpreted)]
    [InlineData(CodecMode.Generated)]
    public void RoundTrip(CodecMode mode)
    {
        var fixture = new CodecFixture(mode);
        for (int i = 0; i < Graphs; i++)
        {
            object graph = new Builder(new Random(Seed + i)).Build();
            Exception? error = Record.Exception(() => GraphAssert.Same(graph, fixture.Read(fixture.Write(graph))));
            if (error is not null)
                output.WriteLine($"seed {Seed + i}");
            Assert.Null(error);
            fixture.Codec.CheckInvariants();
        }
    }

    /// <summary>Writes and reads that fail leave buffer and codec as clean as those that succeed.</summary>
    [Theory]
    [InlineData(CodecMode.Interpreted)]
    [InlineData(CodecMode.Generated)]
    public void OneBufferForAllThatIsWrittenAndRead(CodecMode mode)
    {
        int seed = TestLeg.Seed(Seed);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        CodecFixture[] fixtures = [new(mode), new(mode)];
        var buffer = new PileBuffer();
        for (int step = 0; step < TestLeg.Steps(1_000, 50_000); step++)
        {
            CodecFixture fixture = fixtures[random.Next(fixtures.Length)];
            Step(random, fixture, buffer);
            fixture.Codec.CheckInvariants();
        }
    }

    private static unsafe void Step(Random random, CodecFixture fixture, PileBuffer buffer)
    {
        object graph = new Builder(random).Build();
        buffer.Clear();
        switch (random.Next(4))
        {
            case 0:
                object?[] refused = [graph, Nested(random.Next(200), new Action(() => { })), graph];
                Assert.Throws<PileSerializationException>(() => fixture.Write(refused, buffer));
                return;
            case 1:
                var deep = Nested(random.Next(400), graph);
                fixture.Write(deep, buffer);
                GraphAssert.Same(deep, fixture.Read(buffer));
                return;
            case 2:
                fixture.Write(graph, buffer);
                buffer.SetEnd(buffer.Start + random.Next(buffer.LengthBytes));
                Assert.Throws<PileSerializationException>(() => fixture.Read(buffer));
                return;
            default:
                fixture.Write(graph, buffer);
                GraphAssert.Same(graph, fixture.Read(buffer));
                return;
        }
    }

    private static object Nested(int depth, object? inside)
    {
        object nested = new object?[] { inside };
        for (int i = 0; i < depth; i++)
            nested = i % 3 == 0 ? new Drawing { Tag = nested } : new List<object?> { nested };
        return nested;
    }

    [Fact]
    public void TwoCodecsTakeTurnsWithOneBuffer()
    {
        var first = new CodecFixture();
        var second = new CodecFixture();
        second.Write(new Node());
        var buffer = new PileBuffer();
        for (int i = 0; i < 20; i++)
        {
            CodecFixture fixture = i % 3 == 0 ? first : second;
            Order order = Order.Sample(i);
            fixture.Codec.Serialize(order, buffer);
            GraphAssert.Same(order, fixture.Codec.Deserialize(buffer));
            buffer.Clear();
        }
    }

    private sealed class Builder(Random random)
    {
        private readonly List<object> _objects = [];
        private int _left = random.Next(1, ObjectsMost);

        public object Build() => Next()!;

        // Half of all references lead to an object that exists already.
        private object? Next()
        {
            if (_objects.Count > 0 && (_left <= 0 || random.Next(2) == 0))
                return random.Next(10) == 0 ? null : _objects[random.Next(_objects.Count)];
            _left--;
            return Make(random.Next(12));
        }

        private object Make(int kind) => kind switch
        {
            0 => Keep(new Node { Value = random.Next() }, n => (n.Next, n.Other) = (Next() as Node, Next() as Node)),
            1 => Keep(new Drawing(), d => (d.Tag, d.Main, d.Frame) = (Next(), Next() as Shape, Next() as Rectangle)),
            2 => Keep(new object?[random.Next(5)], a => Fill(a)),
            3 => Keep(new List<object?>(), l => Repeat(() => l.Add(Next()))),
            4 => Keep(new Dictionary<string, object?>(), m => Repeat(() => m[Text()] = Next())),
            5 => Keep(new HashSet<object>(ReferenceEqualityComparer.Instance), s => Repeat(() => s.Add(Next() ?? "nothing"))),
            6 => Keep(new Circle(Text(), random.NextDouble()), _ => { }),
            7 => Keep(new Square(Text(), random.NextDouble()), _ => { }),
            8 => Keep(new int[random.Next(20)], a => random.NextBytes(MemoryMarshal.AsBytes(a.AsSpan()))),
            9 => Keep(new LinkedList<object?>(), l => Repeat(() => l.AddLast(Next()))),
            10 => Keep(new Point3[random.Next(4)], p => Array.Fill(p, new Point3 { X = random.Next(), Label = Text() })),
            _ => Leaf(),
        };

        private T Keep<T>(T value, Action<T> fill)
            where T : class
        {
            _objects.Add(value);
            fill(value);
            return value;
        }

        private void Fill(object?[] items)
        {
            for (int i = 0; i < items.Length; i++)
                items[i] = Next();
        }

        private void Repeat(Action action)
        {
            for (int i = random.Next(6); i > 0; i--)
                action();
        }

        private object Leaf() => random.Next(6) switch
        {
            0 => random.NextInt64(),
            1 => Text(),
            2 => new Money(random.Next(), Text()),
            3 => DayOfWeek.Friday,
            4 => ImmutableArray.Create(random.Next(), 2),
            _ => DateTime.UnixEpoch.AddTicks(random.NextInt64(1L << 50)),
        };

        private string Text() => new((char)random.Next(32, 0x3000), random.Next(40));
    }
}
