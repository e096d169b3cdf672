using System;
using System.Buffers;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using MemoryPack;
using MessagePack;

namespace BigPile.Benchmarks;

/// <summary>What does the codec alone cost for values of one type, compared with other serializers?</summary>
/// <remarks>
/// The types differ only in attributes that some serializers need. Others lose shared references; MessagePack-CSharp is the version of
/// <c>-p:MessagePackVersion</c>, with its standard options. A read by BigPile copies the payload into the thread's buffer first, as a pile
/// does. The column "Bytes" is the mean length of the output.
/// </remarks>
/// <typeparam name="T">The type as BigPile and System.Text.Json take it.</typeparam>
/// <typeparam name="TMarked">The type as MessagePack-CSharp and MemoryPack take it.</typeparam>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
[BytesColumn]
public abstract class CodecBenchmarks<T, TMarked>
    where T : class
    where TMarked : class
{
    private const string Write = nameof(Write);
    private const string Read = nameof(Read);

    private readonly IPileCodec _codec = new Pile().Encoding.Codec;
    private readonly JsonTypeInfo<T> _jsonType;
    private readonly T[] _values;
    private readonly TMarked[] _marked;
    private readonly PileBuffer _buffer = new();
    private readonly ArrayBufferWriter<byte> _output = new(64 * 1024);
    private Utf8JsonWriter _jsonWriter = null!;
    private byte[][] _written = [];
    private int _index;

    private protected CodecBenchmarks(T[] values, Func<T, TMarked> mark, JsonTypeInfo<T> jsonType)
    {
        _values = values;
        _marked = Array.ConvertAll(values, value => mark(value));
        _jsonType = jsonType;
    }

    private T Next => _values[_index++ & (_values.Length - 1)];

    private TMarked NextMarked => _marked[_index++ & (_marked.Length - 1)];

    private byte[] NextWritten => _written[_index++ & (_written.Length - 1)];

    /// <summary>Writes all by BigPile.</summary>
    [GlobalSetup(Targets = [nameof(BigPileWrite), nameof(BigPileRead)])]
    public void PrepareBigPile() => Prepare(i =>
    {
        _buffer.Clear();
        _codec.Serialize(_values[i], _buffer);
        return _buffer.WrittenSpan.ToArray();
    }, nameof(BigPileWrite), nameof(BigPileRead));

    /// <summary>Writes all by MessagePack-CSharp.</summary>
    [GlobalSetup(Targets = [nameof(MessagePackCSharpWrite), nameof(MessagePackCSharpRead)])]
    public void PrepareMessagePack() =>
        Prepare(i => MessagePackSerializer.Serialize(_marked[i]), nameof(MessagePackCSharpWrite), nameof(MessagePackCSharpRead));

    /// <summary>Writes all by MemoryPack.</summary>
    [GlobalSetup(Targets = [nameof(MemoryPackWrite), nameof(MemoryPackRead)])]
    public void PrepareMemoryPack() =>
        Prepare(i => MemoryPackSerializer.Serialize(_marked[i]), nameof(MemoryPackWrite), nameof(MemoryPackRead));

    /// <summary>Writes all by System.Text.Json.</summary>
    [GlobalSetup(Targets = [nameof(JsonWrite), nameof(JsonRead)])]
    public void PrepareJson()
    {
        _jsonWriter = new Utf8JsonWriter(_output);
        Prepare(i => JsonSerializer.SerializeToUtf8Bytes(_values[i], _jsonType), nameof(JsonWrite), nameof(JsonRead));
    }

    /// <summary>BigPile writes.</summary>
    [BenchmarkCategory(Write), Benchmark(Baseline = true)]
    public int BigPileWrite()
    {
        _buffer.Clear();
        _codec.Serialize(Next, _buffer);
        return _buffer.LengthBytes;
    }

    /// <summary>MessagePack-CSharp writes.</summary>
    [BenchmarkCategory(Write), Benchmark]
    public int MessagePackCSharpWrite()
    {
        _output.ResetWrittenCount();
        MessagePackSerializer.Serialize(_output, NextMarked);
        return _output.WrittenCount;
    }

    /// <summary>MemoryPack writes.</summary>
    [BenchmarkCategory(Write), Benchmark]
    public int MemoryPackWrite()
    {
        _output.ResetWrittenCount();
        MemoryPackSerializer.Serialize(_output, NextMarked);
        return _output.WrittenCount;
    }

    /// <summary>System.Text.Json writes, by generated code.</summary>
    [BenchmarkCategory(Write), Benchmark]
    public int JsonWrite()
    {
        _output.ResetWrittenCount();
        _jsonWriter.Reset(_output);
        JsonSerializer.Serialize(_jsonWriter, Next, _jsonType);
        return _output.WrittenCount;
    }

    /// <summary>BigPile reads.</summary>
    [BenchmarkCategory(Read), Benchmark(Baseline = true)]
    public object BigPileRead()
    {
        _buffer.Clear();
        _buffer.Write(NextWritten);
        return _codec.Deserialize(_buffer);
    }

    /// <summary>MessagePack-CSharp reads.</summary>
    [BenchmarkCategory(Read), Benchmark]
    public object MessagePackCSharpRead() => MessagePackSerializer.Deserialize<TMarked>(NextWritten);

    /// <summary>MemoryPack reads.</summary>
    [BenchmarkCategory(Read), Benchmark]
    public object? MemoryPackRead() => MemoryPackSerializer.Deserialize<TMarked>(NextWritten);

    /// <summary>System.Text.Json reads, by generated code.</summary>
    [BenchmarkCategory(Read), Benchmark]
    public object? JsonRead() => JsonSerializer.Deserialize(NextWritten, _jsonType);

    private void Prepare(Func<int, byte[]> write, params string[] benchmarks)
    {
        _written = new byte[_values.Length][];
        long bytes = 0;
        for (int i = 0; i < _written.Length; i++)
            bytes += (_written[i] = write(i)).Length;
        foreach (string benchmark in benchmarks)
            BytesColumnAttribute.Record(this, benchmark, bytes / (double)_written.Length);
    }
}

/// <summary>Of a class with seven fields.</summary>
public class PersonCodecBenchmarks() : CodecBenchmarks<Person, MarkedPerson>(
    Person.Pool(1024, seed: 1), MarkedPerson.Of, JsonContext.Default.Person);

/// <summary>Of an order, whose lines share products.</summary>
public class OrderCodecBenchmarks() : CodecBenchmarks<Order, MarkedOrder>(
    [Order.Sample(seed: 2)], MarkedOrder.Of, JsonContext.Default.Order);

/// <summary>Of a hundred texts.</summary>
public class TextsCodecBenchmarks() : CodecBenchmarks<string[], string[]>(
    [[.. Enumerable.Range(0, 100).Select(static i => $"text number {i * 7919} of a hundred")]], static texts => texts,
    JsonContext.Default.StringArray);
