using System;
using System.Buffers;
using System.Text.Json;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BigPile.Catalog;
using BigPile.Codec.Payloads;

namespace BigPile.Benchmarks;

/// <summary>What does the codec cost by itself, beside System.Text.Json with generated code, which loses shared references?</summary>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
public class CodecBenchmarks
{
    private const int PoolSize = 1024;

    private readonly IPileCodec _codec = new MessagePackPileCodec(new MemoryCatalog(), new PileCodecOptions());
    private readonly Person[] _persons = Person.Pool(PoolSize, seed: 1);
    private readonly byte[][] _writtenPersons = new byte[PoolSize][];
    private readonly byte[][] _jsonPersons = new byte[PoolSize][];
    private readonly Order _order = Order.Sample(seed: 2);
    private byte[] _writtenOrder = [];
    private readonly PileBuffer _buffer = new();
    private readonly ArrayBufferWriter<byte> _json = new(64 * 1024);
    private Utf8JsonWriter _jsonWriter = null!;
    private byte[] _jsonOrder = [];
    private int _index;

    /// <summary>Writes everything once, for the reads.</summary>
    [GlobalSetup]
    public void Prepare()
    {
        for (int i = 0; i < PoolSize; i++)
        {
            _writtenPersons[i] = Write(_persons[i]);
            _jsonPersons[i] = JsonSerializer.SerializeToUtf8Bytes(_persons[i], JsonContext.Default.Person);
        }
        _writtenOrder = Write(_order);
        _jsonOrder = JsonSerializer.SerializeToUtf8Bytes(_order, JsonContext.Default.Order);
        _jsonWriter = new Utf8JsonWriter(_json);
    }

    /// <summary>BigPile writes a person.</summary>
    [BenchmarkCategory("PersonWrite"), Benchmark]
    public int PersonWrite()
    {
        _buffer.Clear();
        _codec.Serialize(_persons[_index++ & (PoolSize - 1)], _buffer);
        return _buffer.LengthBytes;
    }

    /// <summary>BigPile reads a person: as a pile does, it copies the payload into the thread's buffer first.</summary>
    [BenchmarkCategory("PersonRead"), Benchmark]
    public object PersonRead() => Read(_writtenPersons[_index++ & (PoolSize - 1)]);

    /// <summary>BigPile writes an order.</summary>
    [BenchmarkCategory("OrderWrite"), Benchmark]
    public int OrderWrite()
    {
        _buffer.Clear();
        _codec.Serialize(_order, _buffer);
        return _buffer.LengthBytes;
    }

    /// <summary>BigPile reads an order, likewise.</summary>
    [BenchmarkCategory("OrderRead"), Benchmark]
    public object OrderRead() => Read(_writtenOrder);

    /// <summary>System.Text.Json writes a person.</summary>
    [BenchmarkCategory("PersonWrite"), Benchmark(Baseline = true)]
    public long JsonPersonWrite()
    {
        _json.ResetWrittenCount();
        _jsonWriter.Reset(_json);
        JsonSerializer.Serialize(_jsonWriter, _persons[_index++ & (PoolSize - 1)], JsonContext.Default.Person);
        return _jsonWriter.BytesCommitted;
    }

    /// <summary>System.Text.Json reads a person.</summary>
    [BenchmarkCategory("PersonRead"), Benchmark(Baseline = true)]
    public Person? JsonPersonRead() => JsonSerializer.Deserialize(_jsonPersons[_index++ & (PoolSize - 1)], JsonContext.Default.Person);

    /// <summary>System.Text.Json writes an order.</summary>
    [BenchmarkCategory("OrderWrite"), Benchmark(Baseline = true)]
    public long JsonOrderWrite()
    {
        _json.ResetWrittenCount();
        _jsonWriter.Reset(_json);
        JsonSerializer.Serialize(_jsonWriter, _order, JsonContext.Default.Order);
        return _jsonWriter.BytesCommitted;
    }

    /// <summary>System.Text.Json reads an order.</summary>
    [BenchmarkCategory("OrderRead"), Benchmark(Baseline = true)]
    public Order? JsonOrderRead() => JsonSerializer.Deserialize(_jsonOrder, JsonContext.Default.Order);

    private byte[] Write(object value)
    {
        _buffer.Clear();
        _codec.Serialize(value, _buffer);
        return _buffer.WrittenSpan.ToArray();
    }

    private unsafe object Read(byte[] payload)
    {
        byte* copy = _buffer.Prepare(payload.Length);
        payload.CopyTo(new Span<byte>(copy, payload.Length));
        return _codec.Deserialize(_buffer);
    }
}
