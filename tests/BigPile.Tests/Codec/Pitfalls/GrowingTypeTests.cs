using System;
using System.Collections.Generic;

namespace BigPile.Tests.Codec;

/// <summary>Generic types whose members are of ever larger types of the same kind.</summary>
public sealed class GrowingTypeTests
{
    public static TheoryData<object> Growing() =>
    [
        new ByList<int> { Value = 1, Next = new ByList<List<int>> { Value = [2], Next = new ByList<List<List<int>>>() } },
        new ByPair<int> { Value = 1, Next = new ByPair<(int, int)> { Value = (2, 3) } },
        new ByArray<int> { Value = 1, Next = new ByArray<int[]> { Value = [2], Next = new ByArray<int[][]>() } },
        new ByStructure<int> { Next = [new ByStructure<List<int>>()] },
        new ByKey<int> { Next = new Dictionary<ByKey<List<int>>, int>() },
        new HashSet<Fixed<int>> { new(1, null), new(2, new Fixed<List<int>>([3], null)) },
        new Left<int> { Next = new Right<int> { Next = new Left<List<int>>() } },
    ];

    [Theory]
    [MemberData(nameof(Growing))]
    public void TypeThatGrowsByItselfIsStored(object value)
    {
        var fixture = new CodecFixture();
        GraphAssert.Same(value, fixture.RoundTrip(value));
    }

    [Fact]
    public void DeepOnesComeBackToo()
    {
        object node = Activator.CreateInstance(typeof(ByList<>).MakeGenericType(Nested(40)))!;
        for (int depth = 39; depth >= 0; depth--)
        {
            object outer = Activator.CreateInstance(typeof(ByList<>).MakeGenericType(Nested(depth)))!;
            outer.GetType().GetProperty("Next")!.SetValue(outer, node);
            node = outer;
        }
        GraphAssert.Same(node, new CodecFixture().RoundTrip(node));
    }

    private static Type Nested(int depth) => depth == 0 ? typeof(int) : typeof(List<>).MakeGenericType(Nested(depth - 1));

    public sealed class ByList<T>
    {
        public T? Value { get; set; }

        public ByList<List<T>>? Next { get; set; }
    }

    public sealed class ByPair<T>
    {
        public T? Value { get; set; }

        public ByPair<(T, T)>? Next { get; set; }
    }

    public sealed class ByArray<T>
    {
        public T? Value { get; set; }

        public ByArray<T[]>? Next { get; set; }
    }

    public struct ByStructure<T>
    {
        public T? Value { get; set; }

        public ByStructure<List<T>>[]? Next { get; set; }
    }

    public sealed class ByKey<T>
    {
        public Dictionary<ByKey<List<T>>, int>? Next { get; set; }
    }

    public sealed class Fixed<T>(T value, Fixed<List<T>>? next)
    {
        private readonly T _value = value;
        private readonly Fixed<List<T>>? _next = next;

        public override string ToString() => $"{_value} {_next}";
    }

    public sealed class Left<T>
    {
        public Right<T>? Next { get; set; }
    }

    public sealed class Right<T>
    {
        public Left<List<T>>? Next { get; set; }
    }
}
