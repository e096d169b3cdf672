using System;
using System.Text;

namespace BigPile.Tests.Codec;

public sealed class TextTests
{
    private static readonly string[] Alphabets = ["abc XYZ", "äöüß", "жЖ", "日本語", "😀", "\ud800", "\0"];

    [Fact]
    public void TextOfAllLengthsAndAlphabets()
    {
        var fixture = new CodecFixture();
        foreach (string alphabet in Alphabets)
        {
            for (int length = 0; length < 600; length += length < 70 ? 1 : 37)
                Check(fixture, Repeat(alphabet, length));
            Check(fixture, Repeat(alphabet, 100_000));
        }
    }

    [Fact]
    public void OneNonAsciiCharacterAnywhere()
    {
        var fixture = new CodecFixture();
        for (int length = 1; length < 80; length++)
        {
            for (int at = 0; at < length; at++)
                Check(fixture, new string('a', at) + "é" + new string('b', length - at - 1));
        }
    }

    [Fact]
    public void TextIsPlainMessagePack()
    {
        byte[] payload = new CodecFixture().Write(new[] { "abc" });
        Assert.Equal([0x91, 0xa3, (byte)'a', (byte)'b', (byte)'c'], payload[4..]);
        payload = new CodecFixture().Write(new[] { new string('é', 20) });
        Assert.Equal([0x91, 0xd9, 40], payload[4..7]);
        Assert.Equal(new string('é', 20), Encoding.UTF8.GetString(payload[7..]));
    }

    private static void Check(CodecFixture fixture, string text)
    {
        var copy = (string[])fixture.Read(fixture.Write(new[] { text, text }));
        Assert.Equal(text, copy[0], StringComparer.Ordinal);
        Assert.Equal(text, copy[1], StringComparer.Ordinal);
    }

    private static string Repeat(string alphabet, int length)
    {
        var text = new StringBuilder(length);
        while (text.Length < length)
            text.Append(alphabet[text.Length % alphabet.Length]);
        return text.ToString();
    }
}
