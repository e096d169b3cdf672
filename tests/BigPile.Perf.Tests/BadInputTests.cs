using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Tests;

public class BadInputTests
{
    [Theory]
    [InlineData("--store foo", "--store 'foo' is unknown", "managed, native or mapped")]
    [InlineData("--payload foo", "--payload 'foo' is unknown", "string32, string64, bytes:N or person")]
    [InlineData("--payload bytes:0", "--payload 'bytes:0' is out of range", "from 1 to 1073741824")]
    [InlineData("--payload bytes:1073741825", "--payload 'bytes:1073741825' is out of range", "from 1 to 1073741824")]
    [InlineData("--payload bytes:many", "--payload 'bytes:many' is out of range", "from 1 to 1073741824")]
    [InlineData("--count 0", "--count '0' is out of range", "from 1 to 2147483591")]
    [InlineData("--count -1", "--count '-1' is out of range", "from 1 to 2147483591")]
    [InlineData("--count 2147483592", "--count '2147483592' is out of range", "from 1 to 2147483591")]
    [InlineData("--count many", "--count 'many' is out of range", "from 1 to 2147483591")]
    [InlineData("--threads 0", "--threads '0' is out of range", "from 1 to 1024")]
    [InlineData("--threads 1025", "--threads '1025' is out of range", "from 1 to 1024")]
    [InlineData("--store native --dir somewhere", "--dir is for a mapped pile only", "--store mapped")]
    [InlineData("--bogus", "'--bogus'", "")]
    [InlineData("--store", "'--store'", "")]
    [InlineData("--store foo --json", "--store 'foo' is unknown", "")]
    [InlineData("--store foo --count 0", "--store 'foo' is unknown", "--count '0' is out of range")]
    public async Task It_is_refused_with_the_option_and_the_limit(string options, string thing, string limit)
    {
        ConsoleRun run = await ConsoleRun.Of($"insert {options}");
        run.AssertRefused(thing, limit);
    }

    [Fact]
    public async Task A_command_is_needed()
    {
        ConsoleRun run = await ConsoleRun.Of("");
        run.AssertRefused("No command was given", "insert --help");
    }

    [Fact]
    public async Task A_load_that_can_not_fit_the_memory_is_refused_before_it_starts()
    {
        ConsoleRun run = await ConsoleRun.Of("insert --payload bytes:1000000000 --count 2000000000");
        run.AssertRefused("--count 2000000000 of bytes:1000000000 needs", "bytes of memory", "Lower --count");
    }

    [Fact]
    public async Task A_load_that_can_not_fit_the_disk_is_refused_before_it_starts()
    {
        ConsoleRun run = await ConsoleRun.Of("insert --store mapped --payload bytes:1000000000 --count 2000000");
        run.AssertRefused("--count 2000000 of bytes:1000000000 needs", "bytes of space in", "--dir on a larger disk");
    }

    [Theory]
    [InlineData(StoreKind.Managed, "use --store mapped")]
    [InlineData(StoreKind.Mapped, "--dir on a larger disk")]
    public void A_pile_that_gets_full_is_reported_with_the_limit_and_the_remedy(StoreKind store, string remedy)
    {
        var options = new InsertOptions { Store = store, Count = 500_000, MaxBytes = 8 << 20 };
        LoadException error = Assert.Throws<LoadException>(() => InsertRunner.Run(options, new NoProgress(), CancellationToken.None));
        Assert.Contains("--count 500000 of string32", error.Message);
        Assert.Contains("8,388,608 bytes", error.Message);
        Assert.Contains(remedy, error.Message);
    }
}
