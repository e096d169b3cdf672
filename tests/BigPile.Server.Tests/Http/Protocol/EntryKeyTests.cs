using System;
using System.Linq;
using System.Text;
using BigPile.Http.Protocol;

namespace BigPile.Server.Tests.Http.Protocol;

public sealed class EntryKeyTests
{
    [Theory]
    [InlineData("a", "a")]
    [InlineData("a/b", "a/b")]
    [InlineData("a%2Fb", "a/b")]
    [InlineData("a%2fb", "a/b")]
    [InlineData("a%252Fb", "a%2Fb")]
    [InlineData("a+b%20c", "a+b c")]
    [InlineData("%F0%9F%94%91", "🔑")]
    [InlineData("schl%C3%BCssel", "schlüssel")]
    [InlineData("..a/b..", "..a/b..")]
    [InlineData("/", "/")]
    [InlineData("a//b/", "a//b/")]
    [InlineData("%0D%0A%7F%25", "\r\n\x7F%")]
    [InlineData(":@!$&'()*+,;=~-._", ":@!$&'()*+,;=~-._")]
    public void Each_escape_is_undone_once(string raw, string key)
    {
        var buffer = new byte[EntryKey.MaxBytes];
        Assert.Equal(KeyError.None, EntryKey.Decode(raw, buffer, out ReadOnlySpan<byte> decoded));
        Assert.Equal(key, Encoding.UTF8.GetString(decoded));
    }

    [Theory]
    [InlineData("", KeyError.Empty)]
    [InlineData("%", KeyError.InvalidEscape)]
    [InlineData("a%2", KeyError.InvalidEscape)]
    [InlineData("%G0", KeyError.InvalidEscape)]
    [InlineData("%+1", KeyError.InvalidEscape)]
    [InlineData("a b", KeyError.InvalidEscape)]
    [InlineData("ü", KeyError.InvalidEscape)]
    [InlineData("%FF", KeyError.InvalidUtf8)]
    [InlineData("%C3", KeyError.InvalidUtf8)]
    [InlineData("%C0%AF", KeyError.InvalidUtf8)]
    [InlineData("%ED%A0%80", KeyError.InvalidUtf8)]
    [InlineData("a%00", KeyError.HasNul)]
    [InlineData(".", KeyError.HasDotSegment)]
    [InlineData("%2E%2e", KeyError.HasDotSegment)]
    [InlineData("a/../b", KeyError.HasDotSegment)]
    [InlineData("a%2F..", KeyError.HasDotSegment)]
    public void What_is_no_key_is_told_apart(string raw, object error)
    {
        Assert.Equal((KeyError)error, EntryKey.Decode(raw, new byte[EntryKey.MaxBytes], out _));
        Assert.NotEqual(EntryKey.Describe(KeyError.None), EntryKey.Describe((KeyError)error));
    }

    [Fact]
    public void A_key_has_up_to_1024_bytes_however_they_are_written()
    {
        var buffer = new byte[EntryKey.MaxBytes];
        string escaped = string.Concat(Enumerable.Repeat("%C3%BC", 512));
        Assert.Equal(KeyError.None, EntryKey.Decode(escaped, buffer, out ReadOnlySpan<byte> key));
        Assert.Equal(1024, key.Length);
        Assert.Equal(KeyError.TooLong, EntryKey.Decode(escaped + "a", buffer, out _));
        Assert.Equal(KeyError.None, EntryKey.Decode(new string('k', 1024), buffer, out _));
        Assert.Equal(KeyError.TooLong, EntryKey.Decode(new string('k', 1025), buffer, out _));
    }
}
