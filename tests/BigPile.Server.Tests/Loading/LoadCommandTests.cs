using System;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Server.Tests.Support;
using static BigPile.Server.Tests.Support.CommandRun;

namespace BigPile.Server.Tests.Loading;

public sealed class LoadCommandTests : ServerTest
{
    private const string Mixed =
        "{\"id\":\"a\",\"v\": 1}\r\n\n{\"id\":2}\nrubbish\n  \n{\"no\":1}\n{\"id\":\"a\",\"v\":\"later\"}\n{\"id\":\"last/\\u00fc\"}";

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Good_lines_are_loaded_and_bad_ones_named(bool isGzip, bool overHttp)
    {
        string file = Files.Write("mixed", isGzip ? Pack(Mixed) : Encoding.UTF8.GetBytes(Mixed));
        string directory = Path.Combine(Files.Path, "loaded");
        string[] target = overHttp ? ["--url", Server.Address.ToString()] : ["--directory", directory];
        (int code, string output, string error) = await RunAsync(["load", file, "--table", "t", "--key", "id", .. target]);

        Assert.Equal(2, code);
        Assert.Equal(["Line 4 skipped: it is no JSON object", "Line 6 skipped: it has no field 'id'"], error.TrimEnd().Split(
            '\n').Select(Beginning));
        Assert.Matches(
            @"^Loaded 4 records, 67 bytes, into the table 't' in \d+\.\d\d s \([\d,]+ records/s\)\.\n"
            + @"1 of them replaced an entry with the same key\.\nSkipped 2 lines; see above\.\n$", output);
        if (overHttp)
        {
            await CheckAsync(Server);
            return;
        }
        await using RunningServer loaded = await RunningServer.StartAsync(directory);
        await CheckAsync(loaded);
    }

    [Fact]
    public async Task A_file_without_a_fault_gives_0_and_no_complaint()
    {
        string file = Files.Write("good", "{\"id\":1}\n{\"id\":2}\n");
        (int code, string output, string error) = await LoadAsync(file);
        Assert.Equal((0, ""), (code, error));
        Assert.StartsWith("Loaded 2 records, 16 bytes,", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_of_a_thing_is_told_of_as_one()
    {
        (int code, string output, _) = await LoadAsync(Files.Write("one", "{\"id\":1}\nnothing\n"));
        Assert.Equal(2, code);
        Assert.StartsWith("Loaded 1 record, 8 bytes,", output, StringComparison.Ordinal);
        Assert.EndsWith("Skipped 1 line; see above.\n", output, StringComparison.Ordinal);
        string file = Path.Combine(Files.Path, "out.jsonl");
        string loaded = Path.Combine(Files.Path, "loaded");
        (code, _, string error) = await RunAsync(["export", "--table", "t", "--directory", loaded, "--out", file]);
        Assert.Equal((0, "Exported 1 entry of the table 't'.\n"), (code, error));
    }

    [Fact]
    public async Task An_empty_file_is_no_fault()
    {
        (int code, string output, _) = await LoadAsync(Files.Write("empty", ""));
        Assert.Equal(0, code);
        Assert.StartsWith("Loaded 0 records, 0 bytes,", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_line_that_the_server_refuses_is_named()
    {
        await using RunningServer small = await RunningServer.StartAsync(Path.Combine(Files.Path, "small"), "--Server:MaxBodyBytes=1m");
        string file = Files.Write("long", $"{{\"id\":1}}\n{{\"id\":2,\"text\":\"{new string('x', 3 << 20)}\"}}\n{{\"id\":3}}\n");
        (int code, string output, string error) =
            await RunAsync(["load", file, "--table", "t", "--key", "id", "--url", small.Address.ToString()]);
        Assert.Equal(2, code);
        Assert.StartsWith("Line 2 skipped: it has more than 1,048,576 bytes", error, StringComparison.Ordinal);
        Assert.StartsWith("Loaded 2 records", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_directory_in_use_is_named_with_its_owner()
    {
        (int code, _, string error) = await RunAsync(
            ["load", Files.Write("f", "{\"id\":1}"), "--table", "t", "--key", "id", "--directory", Files.Pile]);
        Assert.Equal(1, code);
        Assert.StartsWith(
            $"The load failed: The pile in '{Files.Pile}' is in use by process {Environment.ProcessId}. Stop it, use another directory, ",
            error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("missing file", "Could not find file")]
    [InlineData("cut gzip", "The load failed: ")]
    [InlineData("bad table", "'a/b' is no name of a table")]
    [InlineData("no server", "The server at http://127.0.0.1:9/ can't be reached")]
    [InlineData("no url", "'somewhere' is no address of a server")]
    [InlineData("both", "Use --directory or --url, not both.")]
    [InlineData("no table", "Option '--table' is required.")]
    public async Task A_load_that_fails_says_why(string fault, string message)
    {
        string file = Files.Write("f", "{\"id\":1}");
        string[] args = fault switch
        {
            "missing file" => Args(file + ".none"),
            "cut gzip" => Args(Files.Write("cut", Pack(Mixed)[..^12])),
            "bad table" => ["load", file, "--table", "a/b", "--key", "id"],
            "no server" => ["load", file, "--table", "t", "--key", "id", "--url", "http://127.0.0.1:9"],
            "no url" => ["load", file, "--table", "t", "--key", "id", "--url", "somewhere"],
            "both" => [.. Args(file), "--url", "http://127.0.0.1:9"],
            _ => ["load", file, "--key", "id"],
        };
        (int code, _, string error) = await RunAsync(args);
        Assert.Equal(1, code);
        Assert.Contains(message, error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_help_names_settings_and_commands()
    {
        (int code, string output, _) = await RunAsync(["--help"]);
        Assert.Equal(0, code);
        Assert.Contains("--Pile:Directory", output, StringComparison.Ordinal);
        Assert.Contains("load <FILE>", output, StringComparison.Ordinal);
        Assert.Equal(1, (await RunAsync(["laod"])).Code);
    }

    [Fact]
    public async Task The_health_command_asks_a_server()
    {
        Assert.Equal((0, "ready\n", ""), await RunAsync(["health", "--url", Server.Address.ToString()]));
        (int code, _, string error) = await RunAsync(["health", "--url", "http://127.0.0.1:9"]);
        Assert.Equal(1, code);
        Assert.Contains("can't be reached", error, StringComparison.Ordinal);
    }

    private static async Task CheckAsync(RunningServer server)
    {
        CacheTable<string, byte[]> table = server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");
        Assert.Equal(["2", "a", "last/ü"], table.Keys.Order(StringComparer.Ordinal));
        Assert.Equal("{\"id\":\"a\",\"v\":\"later\"}", await server.Client.GetStringAsync("/v1/tables/t/entries/a"));
        Assert.Equal("{\"id\":2}", await server.Client.GetStringAsync("/v1/tables/t/entries/2"));
        using HttpResponseMessage last = await server.Client.GetAsync("/v1/tables/t/entries/last/%C3%BC");
        Assert.Equal("{\"id\":\"last/\\u00fc\"}", await last.Content.ReadAsStringAsync());
        Assert.Equal("application/json", last.Content.Headers.ContentType?.ToString());
    }

    private static string Beginning(string line)
    {
        int colon = line.IndexOf(": ", line.IndexOf(": ", StringComparison.Ordinal) + 1, StringComparison.Ordinal);
        return colon < 0 ? line : line[..colon];
    }

    private string[] Args(string file) => ["load", file, "--table", "t", "--key", "id", "--directory", Path.Combine(Files.Path, "loaded")];

    private Task<(int Code, string Output, string Error)> LoadAsync(string file) => RunAsync(Args(file));

    private static byte[] Pack(string text)
    {
        var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Optimal))
            gzip.Write(Encoding.UTF8.GetBytes(text));
        return packed.ToArray();
    }
}
