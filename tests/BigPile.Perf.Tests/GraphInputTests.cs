using System.IO;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class GraphInputTests
{
    [Theory]
    [InlineData("{\"id\":", "line 2: ")]
    [InlineData("", "line 2: ")]
    [InlineData("null", "line 2: a JSON object is needed")]
    [InlineData("[]", "line 2: ")]
    [InlineData("{\"id\":\"b\"}", "line 2: ")]
    [InlineData("{\"id\":1}", "line 2: ")]
    public async Task A_malformed_line_is_refused_with_its_number(string line, string part)
    {
        using var file = CatalogText.Of(CatalogText.Line("a"), line, CatalogText.Line("c"));
        (await ConsoleRun.Of($"graph {file.Path}")).AssertRefused(file.Path, part);
    }

    [Theory]
    [InlineData("\"x (>= \"", "the dependency 'x (>= ' is not of the form")]
    [InlineData("null", "the dependency '' is not of the form")]
    public async Task A_malformed_dependency_is_refused_with_its_line(string dependency, string part)
    {
        using var file = CatalogText.Of(
            CatalogText.Line("a"), CatalogText.Line("b"), CatalogText.Line("c", "good").Replace("\"good\"", dependency));
        (await ConsoleRun.Of($"graph {file.Path} --json")).AssertRefused("line 3: ", part);
    }

    [Fact]
    public async Task A_field_that_is_null_where_it_must_not_be_is_refused()
    {
        using var file = CatalogText.Of(CatalogText.Line("a").Replace("\"1.0-1\"", "null"));
        (await ConsoleRun.Of($"graph {file.Path}")).AssertRefused("line 1: ", "version");
    }

    [Fact]
    public async Task A_damaged_compressed_file_is_refused()
    {
        using var file = CatalogText.Compressed(SmallGraph.Lines);
        byte[] bytes = await File.ReadAllBytesAsync(file.Path);
        bytes[^5] ^= 0xff; // in the checksum
        bytes[bytes.Length / 2] ^= 0xff;
        await File.WriteAllBytesAsync(file.Path, bytes);
        (await ConsoleRun.Of($"graph {file.Path}")).AssertRefused(file.Path, "line ");
    }

    [Fact]
    public async Task An_empty_file_is_refused()
    {
        using var file = CatalogText.Of();
        (await ConsoleRun.Of($"graph {file.Path}")).AssertRefused(file.Path, "is empty");
    }

    [Fact]
    public async Task A_missing_file_is_refused() => (await ConsoleRun.Of("graph no-such-catalog")).AssertRefused("no-such-catalog");

    [Theory]
    [InlineData("graph", "FILE")]
    [InlineData("graph file --threads-max 0", "--threads-max '0' is out of range")]
    [InlineData("graph file --store foo", "--store 'foo' is unknown")]
    public async Task Bad_options_are_refused(string commandLine, string part) => (await ConsoleRun.Of(commandLine)).AssertRefused(part);
}
