using System;
using System.IO;
using BigPile.Caching.Index;
using BigPile.Caching.Persistence;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Index;

/// <summary>Files of lines grow ahead, and an opening does not cut them, as that would wait for the disk.</summary>
public sealed class GrownFileTests : IDisposable
{
    private const string Name = "lines";

    private readonly ScratchDirectory _scratch = new();
    private readonly HeldDirectory _directory;

    public GrownFileTests()
    {
        Directory.CreateDirectory(_scratch.At("files"));
        _directory = HeldDirectory.Open(_scratch.At("files"));
    }

    public void Dispose()
    {
        _directory.Dispose();
        _scratch.Dispose();
    }

    [Fact]
    public void An_opening_cuts_nothing_off_that_growth_had_made()
    {
        const int Chunks = 26; // so that there are mappings of two and three chunks
        const int LinesPerChunk = LineSource.LinesPerChunk;
        using var lines = new FileLines(
            () => GrowingMap.Create(_directory, Name, Environment.SystemPageSize, LineSource.ChunkBytes), preparesChunks: true);
        using var store = new LineStore(lines);
        for (ulong number = 0; number < Chunks * LinesPerChunk; number++)
        {
            store.Ensure(number);
            if ((number & (LinesPerChunk - 1)) == LinesPerChunk / 2)
                Eventually.True(() => lines.MayHave(number + LinesPerChunk)); // which is made in the background
            bool isChecked = number < 2 * LinesPerChunk ? number % 127 == 0 : number % (LinesPerChunk / 4) == 1;
            if (isChecked)
                AssertKept(number + 1, lines.Map!.LengthBytes);
        }
    }

    /// <summary>A length that no growth can have made is that of a copy, or damage.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(16_384)]
    [InlineData(16_385)]
    [InlineData(32_768)]
    [InlineData(1_000_000)]
    public void An_opening_cuts_off_what_is_behind(int count)
    {
        using (FileStream file = File.Create(Path.Combine(_directory.Path, Name)))
            file.SetLength(400 << 20); // without anything on the disk
        using GrowingMap map = OpenFor((ulong)count);
        Assert.InRange(map.LengthBytes, FileLines.BytesFor((ulong)count), FileLines.BytesFor((ulong)count) * 2 + (66 << 20));
        Assert.Equal(map.LengthBytes, new FileInfo(Path.Combine(_directory.Path, Name)).Length);
    }

    private void AssertKept(ulong count, long lengthBytes)
    {
        using GrowingMap again = OpenFor(count);
        Assert.Equal((count, lengthBytes), (count, again.LengthBytes));
        Assert.Equal(lengthBytes, new FileInfo(Path.Combine(_directory.Path, Name)).Length);
    }

    private GrowingMap OpenFor(ulong count) => GrowingMap.TryOpen(
        _directory, Name, FileLines.BytesFor(count), FileLines.MostBytesFor(count + 1), LineSource.ChunkBytes, LineSource.ChunkBytes)!;
}
