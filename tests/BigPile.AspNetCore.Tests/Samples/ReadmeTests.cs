using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Tests.Samples;

public sealed class ReadmeTests
{
    [Fact]
    public async Task The_example_runs()
    {
        using var directory = new TemporaryDirectory();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        using var log = new KeptLog(categories: "BigPile");
        builder.Logging.ClearProviders().AddProvider(log);
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        Plugs.Add(builder, directory.Path);
        builder.Services.ConfigureAll<BigPileOptions>(TestHost.Small);
        await using WebApplication app = builder.Build();
        await app.StartAsync();
        await app.Services.GetRequiredService<Hosting.PileHost>().Opening;
        await app.Services.GetRequiredKeyedService<Hosting.PileHost>("scratch").Opening;
        HybridCache cache = app.Services.GetRequiredService<HybridCache>();
        Assert.Equal("ada", (await Plugs.FindAsync(cache, "ada", default)).Name);
        Assert.NotSame(cache, app.Services.GetRequiredKeyedService<HybridCache>("scratch"));
        Assert.Equal(
            1 << 30, app.Services.GetRequiredService<PileCache>().GetOrCreateTable<string, byte[]>("sessions").Options.MaxBytes);
        Assert.NotNull(app.Services.GetService<CacheTable<string, Plugs.Person>>());
        Assert.IsType<PileDistributedCache>(app.Services.GetService<IDistributedCache>());
        Assert.IsType<PileOutputCacheStore>(app.Services.GetService<IOutputCacheStore>());
        Assert.Equal(HealthStatus.Healthy, (await app.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync()).Status);
        Assert.Empty(app.Services.GetRequiredService<PileCache>().Advice());
        Assert.Empty(app.Services.GetRequiredKeyedService<PileCache>("scratch").Advice());
        Assert.Empty(log.Lines);
        await app.StopAsync();
    }

    [Theory]
    [InlineData("// README: plugs", "// README: end of plugs")]
    [InlineData("// README: hybrid", "// README: end of hybrid")]
    public void The_readme_shows_what_is_compiled_here(string from, string to)
    {
        string readme = File.ReadAllText(Path.Combine(SourceTree.Root, "src/BigPile.AspNetCore/README.md"));
        string[] lines = File.ReadAllLines(Path.Combine(SourceTree.Root, "tests/BigPile.AspNetCore.Tests/Samples/Plugs.cs"));
        int first = Array.FindIndex(lines, line => line.Trim() == from) + 1;
        int last = Array.FindIndex(lines, first, line => line.Trim() == to);
        IEnumerable<string> excerpt = lines[first..last];
        int indent = excerpt.Where(static line => line.Length > 0).Min(static line => line.Length - line.TrimStart().Length);
        string text = string.Join('\n', excerpt.Select(line => line.Length > 0 ? line[indent..] : line));
        Assert.Contains(text, readme, StringComparison.Ordinal);
    }
}
