using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public class JsonReportTests
{
    private const int Count = 2000;

    [Theory]
    [InlineData("managed", "string32", 1, 32)]
    [InlineData("managed", "bytes:100", 2, 100)]
    [InlineData("native", "string32", 2, 32)]
    [InlineData("native", "string64", 1, 64)]
    [InlineData("native", "bytes:1", 3, 1)]
    [InlineData("mapped", "string32", 1, 32)]
    [InlineData("mapped", "bytes:1000", 2, 1000)]
    public async Task It_is_one_object_with_every_field(string store, string payload, int threads, int payloadBytes)
    {
        ConsoleRun run = await ConsoleRun.Of($"insert --store {store} --payload {payload} --count {Count} --threads {threads} --json");
        ReportFields.AssertComplete(run.Json(), store, payload, Count, threads, payloadBytes);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 4)]
    [InlineData(5, 3)]
    public async Task Fewer_objects_than_threads_are_fine(int count, int threads)
    {
        ConsoleRun run = await ConsoleRun.Of($"insert --count {count} --threads {threads} --json");
        ReportFields.AssertComplete(run.Json(), "native", "string32", count, threads, payloadBytes: 32);
    }

    [Fact]
    public async Task Payloads_larger_than_a_page_are_fine()
    {
        ConsoleRun run = await ConsoleRun.Of("insert --payload bytes:5000000 --count 20 --threads 2 --json");
        ReportFields.AssertComplete(run.Json(), "native", "bytes:5000000", 20, 2, payloadBytes: 5_000_000);
    }
}
