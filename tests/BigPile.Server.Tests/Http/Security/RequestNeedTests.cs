using BigPile.Http.Security;

namespace BigPile.Server.Tests.Http.Security;

public sealed class RequestNeedTests
{
    [Theory]
    [InlineData("GET", "/v1/tables/t/entries/k", "Read t")]
    [InlineData("HEAD", "/v1/tables/t/entries/a/b", "Read t")]
    [InlineData("PUT", "/v1/tables/t/entries/k", "Write t")]
    [InlineData("DELETE", "/v1/tables/%74/entries/k", "Write t")]
    [InlineData("POST", "/v1/tables/t/entries/k:touch", "Write t")]
    [InlineData("GET", "/v1/tables/no%20name/entries/k", "Read all")]
    [InlineData("POST", "/v1/tables/t:mget", "Read t")]
    [InlineData("POST", "/v1/tables/t%3Amget", "Read t")]
    [InlineData("POST", "/V1/Tables/t:MGET", "Read t")]
    [InlineData("POST", "/v1/tables/t:mset", "Write t")]
    [InlineData("POST", "/v1/tables/t:mdelete", "Write t")]
    [InlineData("POST", "/v1/tables/t:evict", "Write t")]
    [InlineData("POST", "/v1/tables/t:load?key=id", "Write t")]
    [InlineData("GET", "/v1/tables/t:export", "Read t")]
    [InlineData("GET", "/v1/tables/t/keys?prefix=a", "Read t")]
    [InlineData("GET", "/v1/tables/t", "Read t")]
    [InlineData("PUT", "/v1/tables/t", "Admin t")]
    [InlineData("DELETE", "/v1/tables/t/", "Admin t")]
    [InlineData("POST", "/v1/tables/t:unknown", "Admin t")]
    [InlineData("POST", "/v1/tables/mine/../t:mset", "Write all")]
    [InlineData("POST", "/v1/tables/mine/%2e%2e/t:mset", "Write all")]
    [InlineData("GET", "/v1/tables", "Read some")]
    [InlineData("GET", "/V1/Tables", "Read some")]
    [InlineData("GET", "/v1/tables/", "Read all")]
    [InlineData("POST", "/v1/tables", "Admin all")]
    [InlineData("GET", "/v1/access", "None some")]
    [InlineData("GET", "/V1/%61ccess", "None some")]
    [InlineData("GET", "/v1/access/", "Read all")]
    [InlineData("POST", "/v1/access", "Admin all")]
    [InlineData("GET", "/v1/stats", "Read all")]
    [InlineData("GET", "/metrics", "Read all")]
    [InlineData("POST", "/v1/admin:flush", "Admin all")]
    [InlineData("GET", "/v1/ADMIN:flush", "Admin all")]
    [InlineData("POST", "/v1/%61dmin:flush", "Admin all")]
    [InlineData("GET", "/v1/operations/7", "Admin all")]
    [InlineData("POST", "/elsewhere", "Admin all")]
    [InlineData("GET", "/elsewhere", "Read all")]
    [InlineData("GET", "/health/ready", "None free")]
    [InlineData("POST", "/health/ready", "Admin all")]
    [InlineData("GET", "/health/../v1/admin:flush", "Admin all")]
    [InlineData("GET", "/", "None free")]
    public void A_request_needs_a_scope_for_a_table(string method, string target, string expected)
    {
        RequestNeed need = RequestNeed.Of(method, target, PathOf(target), openPath: null, stackalloc char[128]);
        Assert.Equal(
            expected, $"{need.Scope} {(!need.NeedsKey ? "free" : need.IsForSome ? "some" : need.Table.IsEmpty ? "all" : need.Table)}");
    }

    // As the server gives it to the routes: decoded, with segments folded away.
    private static string PathOf(string target) => target.Split('?')[0] switch
    {
        "/v1/tables/mine/../t:mset" or "/v1/tables/mine/%2e%2e/t:mset" => "/v1/tables/t:mset",
        "/health/../v1/admin:flush" => "/v1/admin:flush",
        var path => System.Uri.UnescapeDataString(path),
    };
}
