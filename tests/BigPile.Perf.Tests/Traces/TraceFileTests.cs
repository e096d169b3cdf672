using System;
using System.Buffers.Binary;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Text;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Tests.Traces;

public sealed class TraceFileTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("a.keys", "b\n*\nb\n\na", "0 1 0 2")]
    [InlineData("a.txt", "17\n4\n17\n", "0 1 0")]
    [InlineData("a", "x\r\ny\r\nx", "0 1 0")]
    [InlineData("a.trace", "*\n5\n*\n6\n5\n", "0 1 0")]
    [InlineData("a.lis", "10 3 0 1\n11 1 0 2\n", "0 1 2 1")]
    [InlineData("P14", "10 2 0 1\n9 2 0 2", "0 1 2 0")]
    [InlineData("b.trace", "s 0x1fffff50 1\nl 0x1fffff7f 1\nl 0x1fffff80 6 1 10\n", "0 0 1")]
    [InlineData("a.csv", "key,op\nx,1\ny,2\nx,3", "0 1 0")]
    public void Each_format_of_text_is_told_and_read(string name, string content, string expected)
    {
        Trace trace = Read(_directory.Write(name, content));
        Assert.Equal(expected, string.Join(' ', trace.Accesses));
        Assert.Equal(trace.Accesses.Max() + 1, trace.DistinctKeys);
        Assert.Null(trace.SizesBytes);
    }

    [Theory]
    [InlineData("a.trace", "1 7 68\n2 8 0\n3 7 99\n")]
    [InlineData("a.csv", "version,time,op,size,lbn\n1,5,2a,68,7\n1,5,2a,0,8\n1,6,2a,99,7\n")]
    [InlineData("b.csv", "# time, object, size, next_access_vtime\n1, 7, 68, 3\n1, 8, 0, -1\n2, 7, 99, -1\n")]
    public void The_sizes_of_text_are_those_of_the_first_accesses(string name, string content) =>
        AssertSized(_directory.Write(name, content));

    [Theory]
    [InlineData("a.oracleGeneral.bin", 24, 4, 12, -1, 0)]
    [InlineData("a.vscsi", 32, 16, 4, 15, 1)]
    [InlineData("a.vscsitrace", 40, 16, 8, 3, 2)]
    public void The_sizes_of_bytes_are_those_of_the_first_accesses(
        string name, int recordBytes, int keyAt, int sizeAt, int versionAt, byte version)
    {
        var content = new byte[3 * recordBytes];
        for (int i = 0; i < 3; i++)
        {
            Span<byte> record = content.AsSpan(i * recordBytes, recordBytes);
            BinaryPrimitives.WriteInt64LittleEndian(record[keyAt..], i == 1 ? 8 : 7L << 40);
            BinaryPrimitives.WriteInt32LittleEndian(record[sizeAt..], i == 0 ? 68 : i == 1 ? 0 : 99);
            if (versionAt >= 0)
                record[versionAt] = version;
        }
        AssertSized(_directory.Write(name, content));
    }

    [Theory]
    [InlineData("cache2k", 4)]
    [InlineData("cloud_physics", 4)]
    [InlineData("corda", 8)]
    [InlineData("scarab", 8)]
    public void Bytes_are_told_by_their_folder_or_by_the_option(string folder, int keyBytes)
    {
        byte[] content = [.. new byte[] { 0, 5, 0 }.SelectMany(last => Enumerable.Repeat((byte)0, keyBytes - 1).Append(last))];
        Directory.CreateDirectory(Path.Combine(_directory.Path, folder));
        Assert.Equal([0, 1, 0], Read(_directory.Write($"{folder}/a.trace", content)).Accesses);
        string elsewhere = _directory.Write("a.trace", content);
        Assert.Contains("--format", Assert.Throws<LoadException>(() => Read(elsewhere)).Message);
        Assert.Equal([0, 1, 0], Read(elsewhere, keyBytes == 4 ? TraceFormat.Int32 : TraceFormat.Int64).Accesses);
    }

    [Fact]
    public void What_is_compressed_is_read_as_what_is_not()
    {
        Assert.Equal([0, 1, 0], Read(_directory.Write("a.trace.gz", Gzip("*\n3\n1\n3\n"))).Accesses);
        Directory.CreateDirectory(Path.Combine(_directory.Path, "corda"));
        Assert.Equal([0, 0], Read(_directory.Write("corda/a.gz", Gzip("01234567" + "01234567"))).Accesses);
    }

    // "3\n1\n3\n" as the tools themselves pack it.
    [UnpackingTheory]
    [InlineData("a.trace.xz", "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAFMwoxCjMKAAAAC+zg/AeMbasAAR4GwS+kHR+2830BAAAAAARZWg==")]
    [InlineData("a.trace.zst", "KLUv/QRYMQAAMwoxCjMKdgKsrg==")]
    public void What_only_tools_unpack_is_unpacked_by_them(string name, string packed)
    {
        byte[] content = Convert.FromBase64String(packed);
        Assert.Equal([0, 1, 0], Read(_directory.Write(name, content)).Accesses);
        AssertRefused(_directory.Write("cut" + name, content[..^6]), "damaged", "Get it once more");
    }

    [Theory]
    [InlineData("a.trace", "*\n5\nx\n", "line 3", "a number")]
    [InlineData("a.lis", "5 1 0 0\n5\n", "line 2", "a first block")]
    [InlineData("a.lis", "5 -1 0 0\n", "line 1", "a first block")]
    [InlineData("b.trace", "s 0x10 1\ns 10 1\n", "line 2", "0x")]
    [InlineData("c.trace", "1 2 3\n1 2\n", "line 2", "a size")]
    [InlineData("a.csv", "lbn,size\n1,2\n1,x\n", "line 3", "fields")]
    [InlineData("a.csv", "lbn,size\n1,2\n1\n", "line 3", "fields")]
    [InlineData("a.csv", "1,2\n3,4\n", "does not name a key", "lbn")]
    [InlineData("a.keys", "\n\n", "is empty", "an access")]
    [InlineData("a.vscsi", "nothing of the kind", "two commands", "--format")]
    public void What_is_wrong_is_said_with_file_place_and_remedy(string name, string content, string place, string remedy) =>
        AssertRefused(_directory.Write(name, content), place, remedy);

    [Fact]
    public void What_was_cut_off_is_said_with_its_place()
    {
        AssertRefused(_directory.Write("a.oracleGeneral", new byte[2 * 24 + 5]), "record 3, byte 48", "Get it once more");
        byte[] gzip = Gzip(string.Join('\n', Enumerable.Range(0, 5000).Select(i => i * 7919L % 100_003)));
        AssertRefused(_directory.Write("a.keys.gz", gzip[..(gzip.Length / 2)]), "damaged at line", "Get it once more");
    }

    [Fact]
    public void A_directory_is_its_traces_in_order()
    {
        foreach (string name in new[] { "b.trace.gz", "a.keys", "README", "sum.py", "P3" })
            _directory.Write(name, "1");
        Directory.CreateDirectory(Path.Combine(_directory.Path, "corda"));
        _directory.Write("corda/x.gz", "1");
        Assert.Equal(
            ["P3", "a.keys", "b.trace.gz", "corda/x.gz"],
            TraceSource.Expand([_directory.Path]).Select(path => Path.GetRelativePath(_directory.Path, path)));
        Assert.Equal(["synthetic:zipf"], TraceSource.Expand(["synthetic:zipf"]));
        Assert.Contains("'no-such' does not exist", Assert.Throws<LoadException>(() => TraceSource.Expand(["no-such"])).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Synthetic_traces_are_the_same_from_the_same_seed()
    {
        foreach (string name in SyntheticTrace.AllNames)
        {
            Trace trace = SyntheticTrace.Make(name, seed: 1);
            Assert.Equal(trace.Accesses, SyntheticTrace.Make(name, seed: 1).Accesses);
            Assert.Equal(trace.DistinctKeys, trace.Accesses.Max() + 1);
            Assert.InRange(trace.Accesses.Length, 600_000, 1_200_000);
            Assert.Equal(SyntheticTrace.Names.Contains(name), trace.SizesBytes == null);
            bool isLoop = name is "synthetic:loop" or "synthetic:stale";
            Assert.Equal(isLoop, trace.Accesses.SequenceEqual(SyntheticTrace.Make(name, seed: 2).Accesses));
        }
        Assert.Contains("synthetic:zipf", Assert.Throws<LoadException>(static () => SyntheticTrace.Make("synthetic:x", 1)).Message);
    }

    private static Trace Read(string path, TraceFormat? format = null) =>
        TraceFile.Read(path, format, new NoProgress(), CancellationToken.None);

    private static void AssertSized(string path)
    {
        Trace trace = Read(path);
        Assert.Equal([0, 1, 0], trace.Accesses);
        Assert.Equal([68, 1], trace.SizesBytes!);
    }

    private static void AssertRefused(string path, params string[] parts)
    {
        string message = Assert.Throws<LoadException>(() => Read(path)).Message;
        Assert.All(parts.Append(path), part => Assert.Contains(part, message));
    }

    private static byte[] Gzip(string content)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest))
            gzip.Write(Encoding.UTF8.GetBytes(content));
        return packed.ToArray();
    }

    /// <summary>Runs where the tools are that unpack what .NET does not.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    private sealed class UnpackingTheoryAttribute : TheoryAttribute
    {
        public UnpackingTheoryAttribute()
        {
            if (!File.Exists("/usr/bin/xz") || !File.Exists("/usr/bin/zstd"))
                Skip = "There are no xz and zstd here.";
        }
    }
}
