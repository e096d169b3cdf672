using System;
using System.Buffers;
using System.Text;
using BigPile.Http.Entries;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;

namespace BigPile.Server.Tests.Http.Entries;

public sealed class StoredValueTests
{
    [Theory]
    [InlineData("application/json", 1)]
    [InlineData("text/plain; charset=utf-8", 1)]
    [InlineData("image/svg+xml", 1)]
    [InlineData("application/x-my-own", 22)]
    [InlineData("Application/Json", 18)]
    public void A_content_type_comes_back_as_it_was(string contentType, int headBytes)
    {
        var buffer = new ArrayBufferWriter<byte>();
        StoredValue.WriteHead(buffer, contentType);
        buffer.Write("payload"u8);
        Assert.True(StoredValue.TryReadHead(buffer.WrittenSpan, out string? read, out ContentCoding coding, out int readHeadBytes));
        Assert.Equal((contentType, ContentCoding.Identity, headBytes), (read, coding, readHeadBytes));
    }

    [Theory]
    [InlineData("application/json", 1, 2)]
    [InlineData("application/x-my-own", 2, 23)]
    [InlineData("text/plain", 3, 2)]
    public void A_content_coding_comes_back_as_it_was(string contentType, byte number, int headBytes)
    {
        var buffer = new ArrayBufferWriter<byte>();
        StoredValue.WriteHead(buffer, contentType, (ContentCoding)number);
        buffer.Write("payload"u8);
        Assert.True(StoredValue.TryReadHead(buffer.WrittenSpan, out string? read, out ContentCoding coding, out int readHeadBytes));
        Assert.Equal((contentType, (ContentCoding)number, headBytes), (read, coding, readHeadBytes));
    }

    [Theory]
    [InlineData("gzip", 1)]
    [InlineData("X-GZIP", 1)]
    [InlineData("br", 2)]
    [InlineData("Deflate", 3)]
    [InlineData("identity", 0)]
    public void Codings_are_found_by_name_and_never_change(string name, byte number)
    {
        Assert.True(ContentCodings.TryFind(name, out ContentCoding coding));
        Assert.Equal((ContentCoding)number, coding);
    }

    [Fact]
    public void A_coding_that_is_not_known_is_not_found() => Assert.False(ContentCodings.TryFind("zstd", out _));

    [Fact]
    public void The_longest_content_type_fits_into_the_room_for_a_head()
    {
        string contentType = "a/" + new string('b', MediaTypes.MaxLength - 2);
        Assert.True(MediaTypes.IsValid(contentType));
        Assert.False(MediaTypes.IsValid(contentType + "b"));
        var buffer = new ArrayBufferWriter<byte>();
        StoredValue.WriteHead(buffer, contentType, ContentCoding.Brotli);
        Assert.Equal(StoredValue.MaxHeadBytes, buffer.WrittenCount);
        Assert.True(StoredValue.TryReadHead(buffer.WrittenSpan, out string? read, out _, out _));
        Assert.Equal(contentType, read);
    }

    // What is stored refers to these codes: a change of this list makes entries of existing piles unreadable.
    [Theory]
    [InlineData(1, "application/json")]
    [InlineData(2, "text/plain; charset=utf-8")]
    [InlineData(3, "application/octet-stream")]
    [InlineData(4, "application/msgpack")]
    [InlineData(5, "text/html; charset=utf-8")]
    [InlineData(12, "application/cbor")]
    [InlineData(20, "application/pdf")]
    [InlineData(24, "image/png")]
    [InlineData(29, "image/svg+xml")]
    [InlineData(30, "application/x-www-form-urlencoded")]
    public void Codes_never_change(byte code, string contentType)
    {
        Assert.Equal(contentType, MediaTypes.Find(code));
        Assert.Equal(code, MediaTypes.CodeOf(contentType));
    }

    [Theory]
    [InlineData("")]
    [InlineData("FE")]
    [InlineData("00")]
    [InlineData("0000")]
    [InlineData("000561")]
    [InlineData("00020A61")]
    [InlineData("81")]
    [InlineData("8100")]
    [InlineData("8104")]
    [InlineData("8003612F62")]
    public void Bytes_of_another_layout_are_refused(string hex) =>
        Assert.False(StoredValue.TryReadHead(Convert.FromHexString(hex), out _, out _, out _));

    [Fact]
    public void A_buffer_grows_and_is_empty_when_it_comes_back()
    {
        ValueBuffer buffer = ValueBuffer.Rent(null);
        for (int i = 0; i < 5_000; i++)
            buffer.Write(Encoding.ASCII.GetBytes($"{i:D4} "));
        Assert.Equal(25_000, buffer.WrittenSpan.Length);
        Assert.StartsWith("0000 0001 ", Encoding.ASCII.GetString(buffer.WrittenSpan), StringComparison.Ordinal);
        Assert.EndsWith("4998 4999 ", Encoding.ASCII.GetString(buffer.WrittenMemory.Span), StringComparison.Ordinal);
        ValueBuffer.Return(buffer);
        Assert.True(buffer.WrittenSpan.IsEmpty);
    }
}
