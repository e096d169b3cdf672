using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Bulk;

namespace BigPile.Server.Tests.Http.Bulk;

public sealed class LineReaderTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("\n", "|")]
    [InlineData("a", "a|")]
    [InlineData("a\n", "a|")]
    [InlineData("a\r\nb", "a|b|")]
    [InlineData("a\rb\r\r\n\nc\r", "a\rb\r||c\r|")]
    [InlineData("\uFEFFa\n\uFEFFb", "a|\uFEFFb|")]
    [InlineData("123456\n1234567\n12", "123456|!|12|")]
    [InlineData("123456\r\n1234567\r\n", "123456|!|")]
    [InlineData("12345678901234567890", "!|")]
    [InlineData("1234567", "!|")]
    public async Task Lines_are_cut_at_their_ends(string text, string expected)
    {
        foreach (int step in new[] { 1, 2, 3, 1000 })
            Assert.Equal(expected, await ReadAllAsync(Encoding.UTF8.GetBytes(text), step, maxLineBytes: 6));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Random_lines_come_back(int seed)
    {
        var random = new Random(seed);
        string[] lines = [.. Enumerable.Range(0, 300).Select(_ => new string('x', random.Next(random.Next(20) == 0 ? 400_000 : 100)))];
        byte[] text = Encoding.UTF8.GetBytes(string.Concat(lines.Select(static line => line + "\n")));
        var reader = new LineReader(new MemoryStream(text), 1 << 20);
        var read = new List<string>();
        while (await reader.ReadAsync(CancellationToken.None))
            read.Add(Encoding.UTF8.GetString(reader.Line.Span));
        Assert.Equal(lines, read);
        Assert.Equal(lines.Length, reader.LineNumber);
    }

    private static async Task<string> ReadAllAsync(byte[] bytes, int step, int maxLineBytes)
    {
        var reader = new LineReader(new SteppedStream(bytes, step), maxLineBytes);
        var read = new StringBuilder();
        while (await reader.ReadAsync(CancellationToken.None))
            read.Append(reader.IsTooLong ? "!" : Encoding.UTF8.GetString(reader.Line.Span)).Append('|');
        return read.ToString();
    }

    /// <summary>Gives a few bytes at a time.</summary>
    private sealed class SteppedStream(byte[] bytes, int step) : MemoryStream(bytes)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            base.ReadAsync(buffer[..Math.Min(step, buffer.Length)], cancellationToken);
    }
}
