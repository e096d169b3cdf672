using System;
using System.Buffers;
using System.Text;

namespace BigPile.Caching.Tests.Keys;

public sealed class Utf8KeyTests : IDisposable
{
    private readonly PileCache _cache =
        new(new Pile(new PileOptions { SegmentBytes = 16 << 20 }), ownsPile: true) { DefaultTableOptions = TestCache.AllDurable };
    private readonly CacheTable<string, byte[]> _table;

    public Utf8KeyTests() => _table = _cache.GetOrCreateTable<string, byte[]>("t");

    public void Dispose() => _cache.Dispose();

    [Theory]
    [InlineData("a")]
    [InlineData("schlüssel/🔑")]
    [InlineData("")]
    public void A_text_and_its_bytes_are_one_key(string key)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(key);
        Assert.Equal(PutResult.Inserted, _table.PutBytes(key, [1, 2, 3], out EntryInfo first));
        Assert.True(_table.ByUtf8().TryGetInfo(utf8, out EntryInfo info));
        Assert.Equal(first, info);

        Assert.Equal(PutResult.Replaced, _table.ByUtf8().PutBytes(utf8, [4, 5], out EntryInfo second));
        Assert.Equal([4, 5], _table.Get(key));
        Assert.Equal([key], _table.Keys);
        var destination = new ArrayBufferWriter<byte>();
        Assert.True(_table.ByUtf8().TryRead(utf8, destination, out info));
        Assert.Equal([4, 5], destination.WrittenSpan.ToArray());
        Assert.Equal(second, info);

        Assert.True(_table.ByUtf8().Remove(utf8));
        Assert.False(_table.ByUtf8().Remove(utf8));
        Assert.False(_table.ByUtf8().TryRead(utf8, destination, out _));
        Assert.False(_table.ByUtf8().TryGetInfo(utf8, out _));
        Assert.Equal(2, destination.WrittenCount);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(5)]
    [InlineData(9)]
    public void The_start_of_a_value_is_read_without_the_rest(int bufferBytes)
    {
        _table.PutBytes("k", [10, 11, 12, 13, 14], out EntryInfo put);
        var buffer = new byte[bufferBytes];
        Assert.True(_table.ByUtf8().TryReadStart("k"u8, buffer, out int copiedBytes, out EntryInfo info));
        Assert.Equal(put, info);
        Assert.Equal(Math.Min(5, bufferBytes), copiedBytes);
        Assert.Equal(new byte[] { 10, 11, 12, 13, 14 }.AsSpan(0, copiedBytes).ToArray(), buffer.AsSpan(0, copiedBytes).ToArray());
        Assert.False(_table.ByUtf8().TryReadStart("other"u8, buffer, out copiedBytes, out _));
        Assert.Equal(0, copiedBytes);
    }

    [Fact]
    public void Bytes_that_are_no_utf8_are_no_key()
    {
        byte[] invalid = [0xFF, 0x00, 0xD8];
        _table.PutBytes("\uD800", [1], out _);
        Assert.Throws<ArgumentException>(() => _table.ByUtf8().PutBytes([0xC3], [1], out _));
        Assert.Throws<ArgumentException>(() => _table.ByUtf8().PutBytes(invalid, [1], out _));
    }
}
