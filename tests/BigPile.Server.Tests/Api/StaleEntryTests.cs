using System;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Tests;
using BigPile.Server.Tests.Support;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace BigPile.Server.Tests.Api;

/// <summary>An entry that has expired, and stays for factories that fail, is missing over HTTP.</summary>
public sealed class StaleEntryTests : IAsyncLifetime
{
    private const string Path = "/v1/tables/t/entries/k";

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();
    private RunningServer _server = null!;

    public async Task InitializeAsync()
    {
        _server = await RunningServer.StartAsync(
            _directory.Pile, services => services.Replace(ServiceDescriptor.Singleton<TimeProvider>(_time)));
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _directory.Dispose();
    }

    [Fact]
    public async Task It_is_served_by_no_method_and_replaced_as_a_missing_one()
    {
        CacheTable<string, byte[]> table = _server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");
        var options = new EntryOptions { MaxAge = TimeSpan.FromMinutes(1), FailSafeMaxAge = TimeSpan.FromHours(1) };
        (await _server.PutAsync(Path, [1])).EnsureSuccessStatusCode();
        Assert.True(table.Touch("k", options));
        Assert.Equal([1], await _server.Client.GetByteArrayAsync(Path));
        Assert.Contains("\"failSafe\"", await _server.Client.GetStringAsync("/v1/tables/t:export"), StringComparison.Ordinal);
        _time.Advance(TimeSpan.FromMinutes(1));
        foreach (string method in new[] { "GET", "HEAD", "DELETE" })
        {
            using var request = new HttpRequestMessage(new HttpMethod(method), Path);
            using HttpResponseMessage answer = await _server.Client.SendAsync(request);
            Assert.Equal(HttpStatusCode.NotFound, answer.StatusCode);
            if (method == "DELETE")
                continue;
            Assert.NotEmpty(table.GetOrAdd("k", static (_, context) => context.Fail("no source"), options)); // it is there
        }
        Assert.DoesNotContain("\"failSafe\"", await _server.Client.GetStringAsync("/v1/tables/t:export"), StringComparison.Ordinal);
        using HttpResponseMessage created = await _server.PutAsync(Path, [2]);
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        Assert.Equal([2], await _server.Client.GetByteArrayAsync(Path));
    }
}
