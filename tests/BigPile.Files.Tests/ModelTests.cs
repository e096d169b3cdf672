using System;
using System.IO;
using BigPile.Files.Storage;
using Xunit.Abstractions;

namespace BigPile.Files.Tests;

/// <summary>Random operations on a file and an array of bytes, in lock step; now and then the file is opened anew by any kind.</summary>
public sealed class ModelTests(ITestOutputHelper output) : IDisposable
{
    private const int MaxBytes = 300_000;

    private readonly TemporaryDirectory _temporary = new();
    private readonly byte[] _model = new byte[MaxBytes];
    private int _size;

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [InlineData(1L << 30)]
    [InlineData(100_000)]
    [InlineData(0)]
    public void A_file_is_like_an_array(long addressBytes)
    {
        int seed = TestLeg.Seed(20);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        IBlockFile file = OpenAny(random, addressBytes);
        for (int step = 0; step < TestLeg.Steps(5_000, 1_000_000); step++)
        {
            if (random.Next(200) == 0)
            {
                Close(file);
                using (IBlockFile readOnly = OpenAny(random, addressBytes, isReadOnly: true))
                    Check(readOnly);
                file = OpenAny(random, addressBytes);
            }
            Do(file, random);
            Check(file);
        }
        Close(file);
        Assert.Equal(_model[.._size], File.ReadAllBytes(FilePath));
    }

    private string FilePath => Path.Combine(_temporary.Path, "file");

    private IBlockFile OpenAny(Random random, long addressBytes, bool isReadOnly = false) => BlockFile.Open(
        BlockFile.Kinds[random.Next(BlockFile.Kinds.Length)], FilePath, new BlockFileOptions
        {
            AddressBytes = addressBytes, InitialSize = random.Next(100_000), GrowthFactor = 1 + random.NextDouble(), ReadOnly = isReadOnly,
        });

    private void Check(IBlockFile file)
    {
        ((ICheckedFile)file).CheckInvariants();
        Assert.Equal(_size, file.Size);
    }

    private void Close(IBlockFile file)
    {
        file.Dispose();
        ((ICheckedFile)file).CheckInvariants();
        Assert.Equal(_size, new FileInfo(FilePath).Length);
    }

    private void Do(IBlockFile file, Random random)
    {
        int length = random.Next(4) == 0 ? random.Next(20_000) : random.Next(200);
        switch (random.Next(20))
        {
            case 0:
                Resize(random.Next(MaxBytes));
                file.Truncate(_size);
                break;
            case 1 when _size + length <= MaxBytes:
                Assert.Equal(_size, file.Expand(length));
                Resize(_size + length);
                break;
            case < 5 when _size + length <= MaxBytes:
                Assert.Equal(_size, file.Append(Next(random, _size, length)));
                break;
            case < 12:
                int offset = random.Next(Math.Min(_size + 5_000, MaxBytes - length));
                file.WriteAt(offset, Next(random, offset, length));
                break;
            case 12:
                Assert.Throws<EndOfStreamException>(() => file.ReadAt(Math.Max(_size - length, 0) + 1, new byte[length]));
                break;
            case 13 when random.Next(100) == 0:
                file.Synchronize(hard: random.Next(2) == 0);
                break;
            default:
                Read(file, random.Next(_size + 1), length);
                break;
        }
    }

    private void Read(IBlockFile file, int offset, int length)
    {
        var bytes = new byte[Math.Min(length, _size - offset)];
        file.ReadAt(offset, bytes);
        Assert.True(_model.AsSpan(offset, bytes.Length).SequenceEqual(bytes), $"{file.Kind}, {bytes.Length} bytes at {offset}");
    }

    private ReadOnlySpan<byte> Next(Random random, int offset, int length)
    {
        if (length == 0)
            return [];
        if (offset + length > _size)
            Resize(offset + length);
        random.NextBytes(_model.AsSpan(offset, length));
        return _model.AsSpan(offset, length);
    }

    private void Resize(int size)
    {
        if (size < _size)
            _model.AsSpan(size, _size - size).Clear();
        _size = size;
    }
}
