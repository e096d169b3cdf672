using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using MessagePack;

namespace BigPile.Tests.Codec;

/// <summary>Known vulnerabilities of other MessagePack readers, by their CWE numbers.</summary>
public sealed class HardeningTests
{
    private const int SmallStackBytes = 256 * 1024;
    private const long AllocationMostBytes = 64 * 1024;

    private readonly CodecFixture _fixture = new(CodecMode.Interpreted);

    [Theory]
    [InlineData("DDFFFFFFFF")]
    [InlineData("DD3FFFFFFF")]
    [InlineData("DD00FFFFFF")]
    [InlineData("DCFFFF")]
    public void Cwe789_array_length_is_checked_before_memory_is_taken(string header) => Refuse(new List<string> { "a" }, header);

    [Theory]
    [InlineData("91DBFFFFFFFF")]
    [InlineData("91DB3FFFFFFF")]
    [InlineData("91DAFFFF")]
    [InlineData("91D9FF")]
    public void Cwe789_text_length_is_checked_before_memory_is_taken(string body) => Refuse(new List<string> { "a" }, body);

    [Theory]
    [InlineData("91C6FFFFFFFF")]
    [InlineData("91C63FFFFFFF")]
    [InlineData("91C5FFFF")]
    public void Cwe789_binary_length_is_checked_before_memory_is_taken(string body) => Refuse(new byte[][] { [1] }, body);

    [Theory]
    [InlineData("C9FFFFFFFF21")]
    [InlineData("C93FFFFFFC21")]
    public void Cwe789_extension_length_is_checked_before_memory_is_taken(string body) => Refuse(new int[] { 1 }, body);

    [Theory]
    [InlineData(int.MaxValue, int.MaxValue)]
    [InlineData(65536, 65536)]
    [InlineData(1 << 16, 1 << 15)]
    [InlineData(-1, -1)]
    [InlineData(0, int.MinValue)]
    public void Cwe789_lengths_of_many_dimensions_are_multiplied_with_care(int rows, int columns)
    {
        byte[] payload = _fixture.Write(new int[1, 1]);
        const int FirstDimension = 4 + 3;
        BitConverter.TryWriteBytes(payload.AsSpan(FirstDimension), rows);
        BitConverter.TryWriteBytes(payload.AsSpan(FirstDimension + 2 * sizeof(int)), columns);
        Refuse(payload);
    }

    /// <summary>The runtime makes no such arrays, though they would have no elements.</summary>
    [Theory]
    [InlineData(1 << 30, 1 << 30, 0)]
    [InlineData(int.MaxValue, 1, 0)]
    [InlineData(0, int.MaxValue, 1)]
    public void Cwe789_lengths_beside_a_length_of_zero_are_checked_too(int length, int rows, int columns)
    {
        byte[] payload = _fixture.Write(new int[0, 0, 0]);
        const int FirstDimension = 4 + 4;
        BitConverter.TryWriteBytes(payload.AsSpan(FirstDimension), length);
        BitConverter.TryWriteBytes(payload.AsSpan(FirstDimension + 2 * sizeof(int)), rows);
        BitConverter.TryWriteBytes(payload.AsSpan(FirstDimension + 4 * sizeof(int)), columns);
        Refuse(payload);
    }

    [Theory]
    [InlineData("DFFFFFFFFF")]
    [InlineData("DF80000000")]
    [InlineData("DF7FFFFFFF")]
    [InlineData("DF3FFFFFFF")]
    [InlineData("DEFFFF")]
    public void Cwe190_map_header_does_not_overflow(string header) => Refuse(new Dictionary<string, int> { ["a"] = 1 }, header);

    [Fact]
    public void Cwe674_depth_in_unions_is_bounded() => OnSmallStack(() =>
    {
        byte[] payload = _fixture.Write(new Link { Next = new Link() });
        byte[] nested = new byte[300_000];
        payload.AsSpan(0, 5).CopyTo(nested);
        for (int i = 5; i + 3 <= nested.Length; i += 3)
            (nested[i], nested[i + 1], nested[i + 2]) = (0x92, 0, 0x91);
        Assert.Throws<PileSerializationException>(() => _fixture.Read(nested));
    });

    [Fact]
    public void Cwe674_union_of_any_depth_is_written_and_read() => OnSmallStack(() =>
    {
        ILink? chain = null;
        for (int i = 0; i < 100_000; i++)
            chain = new Link { Next = chain };
        var extending = new CodecFixture(options: new PileCodecOptions { MayExtendContracts = true });
        var copy = (Link)extending.Read(extending.Write(chain!));
        int count = 0;
        for (ILink? link = copy; link is not null; link = ((Link)link).Next)
            count++;
        Assert.Equal(100_000, count);
    });

    /// <summary>A schema that names one member 1,300 times, at each of three levels: 2^31 values at the least.</summary>
    [Fact]
    public void Cwe190_least_length_of_nested_structures_does_not_overflow()
    {
        object[] Entry(Type type, string member, object kind) =>
            [OldPayload.NameOf(type), 1, .. Enumerable.Repeat((object[])[member, kind], 1300).SelectMany(pair => pair)];
        FakeCatalog catalog = OldPayload.Catalog(
            [$"System.Collections.Generic.List`1{{{OldPayload.NameOf(typeof(Outer))}}}", 4, "item", 1],
            Entry(typeof(Outer), "Middle", 2), Entry(typeof(Middle), "Inner", 3), Entry(typeof(Inner), "Value", "int32"));
        var fixture = new CodecFixture(CodecMode.Interpreted, catalog);
        byte[] payload = OldPayload.Of(0xdd, 0, 0xff, 0xff, 0xff);
        Assert.Throws<PileSerializationException>(() => fixture.Read(payload));
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Throws<PileSerializationException>(() => fixture.Read(payload));
        Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < AllocationMostBytes);
    }

    private void Refuse(object sample, string body) => Refuse([.. _fixture.Write(sample).AsSpan(0, 4), .. Convert.FromHexString(body)]);

    private void Refuse(byte[] payload)
    {
        Assert.Throws<PileSerializationException>(() => _fixture.Read(payload));
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Throws<PileSerializationException>(() => _fixture.Read(payload));
        Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < AllocationMostBytes);
    }

    private static void OnSmallStack(Action action)
    {
        Exception? error = null;
        var thread = new Thread(() => error = Record.Exception(action), SmallStackBytes);
        thread.Start();
        thread.Join();
        Assert.Null(error);
    }

#pragma warning disable CS0649 // Only read.
    private struct Outer
    {
        public Middle Middle;
    }

    private struct Middle
    {
        public Inner Inner;
    }

    private struct Inner
    {
        public int Value;
    }
#pragma warning restore CS0649

    [Union(0, typeof(Link))]
    private interface ILink;

    [MessagePackObject]
    private sealed class Link : ILink
    {
        [Key(0)]
        public ILink? Next { get; set; }
    }
}
