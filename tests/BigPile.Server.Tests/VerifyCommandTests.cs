using System;
using System.IO;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using static BigPile.Server.Tests.Support.CommandRun;

namespace BigPile.Server.Tests;

public sealed class VerifyCommandTests : IDisposable
{
    private const string Marked = "a payload that is easy to find in a file";

    private readonly TemporaryDirectory _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public async Task A_sound_pile_gives_0_and_what_was_looked_at()
    {
        Fill();
        (int code, string output, string error) = await RunAsync("verify", _files.Pile);
        Assert.Equal((0, ""), (code, error));
        string[] lines = output.Split('\n');
        Assert.Equal($"Verified the pile in {_files.Pile}", lines[0]);
        Assert.Contains("  last owner  closed it", lines);
        Assert.Contains("  checksums   yes", lines);
        Assert.Contains(lines, static line => line.StartsWith("  not looked at: the tables' indexes", StringComparison.Ordinal));
        Assert.Contains("  segments    1", lines);
        Assert.Contains(lines, static line =>
            line.StartsWith("  pages       ", StringComparison.Ordinal) && line.EndsWith(" in use", StringComparison.Ordinal));
        Assert.Contains(lines, static line => line.StartsWith("  blocks      1,011 with ", StringComparison.Ordinal));
        Assert.Matches(@"\n  time        \d+\.\d\d s, \d+\.\d\d GB/s\nNo faults\.\n$", output);
    }

    [Fact]
    public async Task A_pile_without_checksums_says_so()
    {
        Fill(PileChecksums.Off);
        (int code, string output, _) = await RunAsync("verify", _files.Pile);
        Assert.Equal(0, code);
        Assert.Contains("checksums   no: only what describes", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_fault_is_named_with_its_place_and_gives_1()
    {
        Fill();
        Damage(Marked);
        (int code, string output, string error) = await RunAsync("verify", _files.Pile);
        Assert.Equal((1, ""), (code, error));
        Assert.Matches(
            @"\nFault: segment 0, byte [\d,]+ \(address [0-9a-f]+\): the payload does not match its checksum\nFaults: 1\. ", output);
    }

    [Fact]
    public async Task A_pile_in_use_gives_2_and_the_owner()
    {
        using Pile pile = Pile.Open(_files.Pile);
        (int code, string output, string error) = await RunAsync("verify", _files.Pile);
        Assert.Equal((2, ""), (code, output));
        Assert.Contains($"in use by process {Environment.ProcessId}", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("nothing", "There is no pile in '")]
    [InlineData("no superblock", "is missing or empty, and there are files of a pile beside it")]
    [InlineData("two damaged superblocks", "is no superblock of a pile, or both its copies are damaged")]
    [InlineData("newer", "is of format 99")]
    public async Task What_is_no_pile_of_this_version_gives_2(string what, string message)
    {
        Fill();
        string superblock = Path.Combine(_files.Pile, "superblock");
        byte[] bytes = File.ReadAllBytes(superblock);
        int place = what == "newer" ? 8 : 30;
        bytes[place] = bytes[512 * 1024 + place] = 99;
        if (what == "no superblock")
            File.Delete(superblock);
        else
            File.WriteAllBytes(superblock, bytes);
        (int code, _, string error) = await RunAsync("verify", what == "nothing" ? _files.Pile + "-not" : _files.Pile);
        Assert.Equal(2, code);
        Assert.StartsWith("The pile could not be verified: ", error, StringComparison.Ordinal);
        Assert.Contains(message, error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
    }

    private void Fill(PileChecksums checksums = PileChecksums.AtFirstUse)
    {
        Pile pile = Pile.Open(_files.Pile, new PileOptions { SegmentBytes = 4 << 20, Checksums = checksums });
        using var cache = new PileCache(pile, ownsPile: true);
        pile.Put(Marked);
        for (int i = 0; i < 1_000; i++)
            pile.Put("object " + i);
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        for (int i = 0; i < 10; i++)
            table.Put("key " + i, new byte[i * 100]);
    }

    private void Damage(string payload)
    {
        string path = Path.Combine(_files.Pile, "segment-000000");
        byte[] bytes = File.ReadAllBytes(path);
        bytes[bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(payload)) + 5] ^= 4;
        File.WriteAllBytes(path, bytes);
    }
}
