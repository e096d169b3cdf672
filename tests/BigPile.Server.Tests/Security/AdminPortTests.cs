using System;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Security;

public sealed class AdminPortTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task What_needs_the_scope_admin_is_nowhere_but_on_its_own_port()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, $"--Security:AdminUrl=http://127.0.0.1:{FreePort.Take()}");
        Assert.Equal(2, server.Addresses.Length);
        foreach (string path in new[] { "/v1/admin:flush", "/v1/Admin:flush", "/v1/%61dmin:flush", "/v1/operations/1" })
        {
            using HttpResponseMessage hidden = await server.Client.PostAsync(path, null);
            await ServerTest.ProblemAsync(hidden, HttpStatusCode.NotFound, "route_not_found");
        }
        await server.PutAsync("/v1/tables/t/entries/k", [1]);
        await ServerTest.ProblemAsync(await server.Client.DeleteAsync("/v1/tables/t"), HttpStatusCode.NotFound, "route_not_found");
        Assert.Equal(HttpStatusCode.OK, (await server.Client.GetAsync("/v1/tables/t")).StatusCode);

        // There the request comes as far as the routes, which have the path, or have it for another method.
        using HttpResponseMessage drop = await server.Client.DeleteAsync(new Uri(server.Addresses[1], "/v1/tables/t"));
        Assert.NotEqual(HttpStatusCode.NotFound, drop.StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await server.Client.GetAsync(new Uri(server.Addresses[1], "/health/ready"))).StatusCode);
    }
}
