using System;
using BigPile.AspNetCore.Configuration;
using BigPile.AspNetCore.Tables;

namespace BigPile.AspNetCore.Tests;

/// <summary>How times and sizes are written in settings, headers and answers.</summary>
public sealed class TextFormTests
{
    [Fact]
    public void A_time_is_written_as_it_is_read()
    {
        foreach (string text in new[] { "1ms", "1500ms", "30s", "90s", "86400s" })
        {
            Assert.True(Duration.TryParse(text, out TimeSpan time));
            Assert.Equal(text, Duration.Format(time));
        }
        Assert.False(Duration.TryParse("36526d", out _));
        Assert.True(Duration.TryParse("36525d", out _));
        Assert.False(Duration.TryParse("", out _));
        Assert.False(Duration.TryParse("s", out _));
    }

    [Theory]
    [InlineData("0", 0)]
    [InlineData("1048576", 1 << 20)]
    [InlineData("512m", 512L << 20)]
    [InlineData("64g", 64L << 30)]
    [InlineData("1 GiB", 1L << 30)]
    [InlineData("3KB", 3 << 10)]
    [InlineData("7b", 7)]
    [InlineData("2T", 2L << 40)]
    public void Sizes_are_read(string text, long bytes)
    {
        Assert.True(ByteSize.TryParse(text, out long read));
        Assert.Equal(bytes, read);
    }

    [Theory]
    [InlineData("70%", 0.7)]
    [InlineData(" 0.5 % ", 0.005)]
    [InlineData("100%", 1)]
    public void Percentages_are_read(string text, double share)
    {
        Assert.True(ByteSize.TryParseShare(text, out double read));
        Assert.Equal(share, read);
        Assert.False(ByteSize.TryParse(text, out _));
    }

    [Theory]
    [InlineData("")]
    [InlineData("%")]
    [InlineData("70")]
    [InlineData("0%")]
    [InlineData("-1%")]
    [InlineData("100.1%")]
    [InlineData("1e1%")]
    [InlineData("7,0%")]
    [InlineData("70%%")]
    public void What_is_no_percentage_is_refused(string text) => Assert.False(ByteSize.TryParseShare(text, out _));

    [Theory]
    [InlineData("")]
    [InlineData("m")]
    [InlineData("-1")]
    [InlineData("1.5g")]
    [InlineData("1x")]
    [InlineData("1mm")]
    [InlineData("9000000t")]
    [InlineData("99999999999999999999")]
    public void What_is_no_size_is_refused(string text) => Assert.False(ByteSize.TryParse(text, out _));
}
