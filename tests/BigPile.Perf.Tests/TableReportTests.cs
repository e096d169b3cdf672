using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public class TableReportTests
{
    [Fact]
    public async Task It_names_the_load_the_phases_and_the_machine_in_plain_text()
    {
        ConsoleRun run = await ConsoleRun.Of("insert --count 2000 --threads 2");
        Assert.Equal(0, run.ExitCode);
        Assert.Equal("", run.Error);
        string[] parts = ["2,000", "string32", "native", "Random get per second", "Bytes per object", "core", "GC"];
        Assert.All(parts, part => Assert.Contains(part, run.Output));
        Assert.DoesNotContain("\u001b", run.Output);
        Assert.DoesNotContain("Flush", run.Output);
    }

    [Fact]
    public async Task Of_a_mapped_pile_it_has_the_restart_too()
    {
        ConsoleRun run = await ConsoleRun.Of("insert --store mapped --count 2000");
        foreach (string part in new[] { "mapped", "Flush seconds", "Open seconds", "Read back seconds" })
            Assert.Contains(part, run.Output);
    }

    [Fact]
    public async Task Help_lists_the_options()
    {
        ConsoleRun run = await ConsoleRun.Of("insert --help");
        Assert.Equal(0, run.ExitCode);
        foreach (string option in new[] { "--store", "--payload", "--count", "--threads", "--dir", "--json" })
            Assert.Contains(option, run.Output);
    }
}
