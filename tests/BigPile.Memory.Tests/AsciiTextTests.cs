using System;
using System.Text;

namespace BigPile.Memory.Tests;

public sealed unsafe class AsciiTextTests
{
    [Fact]
    public void Ascii_of_every_length_goes_both_ways()
    {
        byte* bytes = stackalloc byte[256];
        Span<char> chars = stackalloc char[200];
        for (int length = 0; length <= 200; length++)
        {
            string text = string.Create(length, 7, static (span, seed) =>
            {
                for (int i = 0; i < span.Length; i++)
                    span[i] = (char)((i * 13 + seed) % 128);
            });
            Assert.True(AsciiText.TryNarrow(text, bytes));
            Assert.Equal(Encoding.Latin1.GetBytes(text), new ReadOnlySpan<byte>(bytes, length).ToArray());
            Assert.True(AsciiText.TryWiden(bytes, chars[..length]));
            Assert.Equal(text, chars[..length].ToString());
        }
    }

    [Fact]
    public void One_foreign_character_at_any_place_is_noticed()
    {
        byte* bytes = stackalloc byte[64];
        Span<char> chars = stackalloc char[40];
        for (int length = 1; length <= 40; length++)
        {
            for (int at = 0; at < length; at++)
            {
                foreach (char nonAscii in "\u0080\u00FF\u0100\u2000\uD800\uFFFF")
                {
                    chars[..length].Fill('a');
                    chars[at] = nonAscii;
                    Assert.False(AsciiText.TryNarrow(chars[..length], bytes));
                }
                new Span<byte>(bytes, length).Fill((byte)'a');
                bytes[at] = 0x80;
                Assert.False(AsciiText.TryWiden(bytes, chars[..length]));
            }
        }
    }
}
