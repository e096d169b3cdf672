using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using MessagePack;
using MessagePack.Resolvers;

namespace BigPile.MessagePackCSharp.Tests;

/// <summary>Malformed payloads: each is refused with a clean error, and claims no more memory than its length allows.</summary>
public sealed class UntrustedPayloadTests
{
    private const long MostBytes = 64 << 20;

    private static readonly object[] Values =
    [
        new Keyed<int> { Value = 5 }, new Keyed<string> { Value = "text" }, new Keyed<byte[]> { Value = [1, 2, 3] },
        new Keyed<int[]> { Value = [1, 70000] }, new Keyed<List<Inner>> { Value = [new(1, "a"), new(2, "b")] },
        new Keyed<Dictionary<string, int>> { Value = new() { ["a"] = 1, ["b"] = 2 } }, new Keyed<HashSet<Guid>> { Value = [Guid.Empty] },
        new Keyed<DateTime> { Value = DateTime.UnixEpoch }, new Keyed<decimal> { Value = 1.25m }, new Keyed<Guid?>(),
        new Keyed<Spot> { Value = new Spot { X = 1 } }, new Keyed<IShape> { Value = new Square(3) }, new Keyed<Size> { Value = Size.Large },
        new Keyed<(int, string)> { Value = (1, "a") }, new Keyed<int[,]> { Value = new[,] { { 1, 2 }, { 3, 4 } } },
        new Keyed<Keyed<double>> { Value = new() { Value = 1.5 } }, new Keyed<object> { Value = 5 },
        new Keyed<Uri> { Value = new("http://h/") }, new Keyed<Version> { Value = new(1, 2) }, new Named { Id = 1, Text = "n" },
    ];

    public static TheoryData<bool> Compressed => new() { false, true };

    [Theory]
    [MemberData(nameof(Compressed))]
    public void Each_payload_cut_or_with_a_changed_byte_is_an_object_or_refused(bool isCompressed)
    {
        MessagePackCSharpCodec codec = CodecOf(isCompressed);
        foreach (object value in Values)
        {
            byte[] payload = Write(codec, value);
            for (int length = 0; length < payload.Length; length++)
                Read(codec, payload.AsSpan(0, length), $"{value} cut to {length}");
            for (int place = 0; place < payload.Length; place++)
            {
                foreach (int change in (int[])[1, 2, 4, 8, 16, 32, 64, 128, 0xFF, 0x7F])
                {
                    byte[] changed = [.. payload];
                    changed[place] ^= (byte)change;
                    Read(codec, changed, $"{value} with {change:x} at {place}");
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Compressed))]
    public void Bytes_behind_the_value_are_refused(bool isCompressed)
    {
        MessagePackCSharpCodec codec = CodecOf(isCompressed);
        foreach (object value in Values)
        {
            byte[] payload = [.. Write(codec, value), 0xC0];
            PileSerializationException e = Assert.Throws<PileSerializationException>(() => Deserialize(codec, payload));
            Assert.Contains("bytes after its value", e.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(0xDD, 0x7F)] // array 32
    [InlineData(0xDF, 0x7F)] // map 32
    [InlineData(0xDB, 0x7F)] // str 32
    [InlineData(0xC6, 0x7F)] // bin 32
    [InlineData(0xC9, 0x7F)] // ext 32
    [InlineData(0xDD, 0xFF)]
    [InlineData(0xC6, 0xFF)]
    public void Lengths_that_the_payload_has_not_take_no_memory(byte code, byte first)
    {
        MessagePackCSharpCodec codec = CodecOf(false);
        foreach (object value in Values)
        {
            foreach (byte[] front in (byte[][])[[], [0x93, 5], [0x93, 5, 0x91], [0x93, 5, 0x93, 2, 2]])
                Read(codec, [.. NumberOf(codec, value), .. front, code, first, 0xFF, 0xFF, 0xFF, 1], $"{value}: {code:x}");
        }
    }

    [Theory]
    [InlineData(98)] // one block
    [InlineData(99)] // an array of blocks
    public void Lengths_of_blocks_that_the_payload_has_not_take_no_memory(sbyte kind)
    {
        byte[] lengths = [0xD2, 0x7F, 0xFF, 0xFF, 0x00]; // an int 32
        byte[] payload = kind == 99
            ? [0x92, 0xC7, 5, (byte)kind, .. lengths, 0xC4, 4, 1, 2, 3, 4]
            : [0xC7, 9, (byte)kind, .. lengths, 1, 2, 3, 4];
        MessagePackCSharpCodec codec = CodecOf(true);
        Read(codec, [.. NumberOf(codec, Values[0]), .. payload], $"ext {kind}");
    }

    [Theory]
    [InlineData(0x91)]
    [InlineData(0x81)]
    public void Payloads_that_are_nested_without_an_end_are_refused(byte code)
    {
        MessagePackCSharpCodec codec = CodecOf(false);
        byte[] deep = [.. NumberOf(codec, new Keyed<object> { Value = 5 }), 0x93, 5, .. Enumerable.Repeat(code, 1_000_000), 0xC0];
        Assert.Throws<PileSerializationException>(() => Deserialize(codec, deep));
    }

    [Fact]
    public void Typeless_resolvers_are_refused_with_the_reason()
    {
        foreach (IFormatterResolver resolver in (IFormatterResolver[])
        [
            TypelessObjectResolver.Instance, TypelessContractlessStandardResolver.Instance,
            CompositeResolver.Create(TypelessObjectResolver.Instance, StandardResolver.Instance),
        ])
        {
            ArgumentException e = Assert.Throws<ArgumentException>(
                () => new MessagePackCSharpCodec(MessagePackSerializerOptions.Standard.WithResolver(resolver), typeof(Inner)));
            Assert.Contains("the bytes would name the types to make", e.Message, StringComparison.Ordinal);
        }
    }

    // An object or a refusal; neither may allocate more memory than the payload's length allows.
    private static void Read(MessagePackCSharpCodec codec, ReadOnlySpan<byte> payload, string what)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            _ = Deserialize(codec, payload);
        }
        catch (PileSerializationException)
        {
            // A refusal is expected.
        }
        catch (Exception e)
        {
            Assert.Fail($"{what}: {e}");
        }
        long taken = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(taken < MostBytes, $"{what}: {taken:N0} bytes");
    }

    private static MessagePackCSharpCodec CodecOf(bool isCompressed) => isCompressed
        ? new MessagePackCSharpCodec(
            MessagePackSerializerOptions.Standard.WithSecurity(MessagePackSecurity.UntrustedData)
                .WithCompression(MessagePackCompression.Lz4BlockArray).WithCompressionMinLength(1),
            Types())
        : new MessagePackCSharpCodec(Types());

    private static Type[] Types() => [.. Values.Select(static value => value.GetType())];

    private static byte[] NumberOf(MessagePackCSharpCodec codec, object value) => Write(codec, value)[..4];

    private static byte[] Write(MessagePackCSharpCodec codec, object value)
    {
        var buffer = new PileBuffer();
        codec.Serialize(value, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    private static object Deserialize(MessagePackCSharpCodec codec, ReadOnlySpan<byte> payload)
    {
        var buffer = new PileBuffer();
        buffer.Write(payload);
        return codec.Deserialize(buffer);
    }
}
