using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public class PersonTests
{
    private const int Count = 2000;
    private const int MinPayloadBytes = 40;

    [Theory]
    [InlineData("managed", 1)]
    [InlineData("native", 2)]
    [InlineData("mapped", 2)]
    public async Task Persons_go_through_the_codec_and_come_back(string store, int threads)
    {
        ConsoleRun run = await ConsoleRun.Of($"insert --store {store} --payload person --count {Count} --threads {threads} --json");
        ReportFields.AssertComplete(run.Json(), store, "person", Count, threads, MinPayloadBytes);
    }

    [Fact]
    public async Task Persons_go_through_the_library_and_come_back()
    {
        ConsoleRun run = await ConsoleRun.Of($"insert --payload person --codec messagepack --count {Count} --threads 2 --json");
        ReportFields.AssertComplete(run.Json(), "native", "person by messagepack", Count, 2, MinPayloadBytes);
        ConsoleRun refused = await ConsoleRun.Of("insert --codec messagepack --count 10");
        refused.AssertRefused("--codec is for persons only");
    }

    [Fact]
    public void A_person_takes_about_as_many_bytes_as_the_load_assumes()
    {
        using var pile = new Pile();
        var kind = new Payloads.PersonKind();
        for (int i = 0; i < Payloads.PayloadPool.Size; i++)
        {
            PilePointer pointer = kind.Put(pile, i);
            Assert.True(kind.IsIntact(pile, pointer, i));
        }
        PileStatistics statistics = pile.Statistics;
        Assert.InRange((double)statistics.PayloadBytes / statistics.ObjectsSoFar, 42, 48);
    }
}
