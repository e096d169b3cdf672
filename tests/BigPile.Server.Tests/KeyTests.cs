using System;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests;

public sealed class KeyTests : ServerTest
{
    // Targets as they go over the wire, and the key that they name.
    public static TheoryData<string, string> HardKeys => new()
    {
        { "plain", "plain" },
        { "a/b", "a/b" },
        { "a%2Fb", "a/b" },
        { "a%252Fb", "a%2Fb" },
        { "a%25252Fb", "a%252Fb" },
        { "with%20space", "with space" },
        { "plus+plus", "plus+plus" },
        { "%F0%9F%94%91", "🔑" },
        { "%E9%8D%B5", "鍵" },
        { "a%3Fb%23c", "a?b#c" },
        { "100%25", "100%" },
        { "//", "//" },
        { "a//b/", "a//b/" },
        { "entries/x", "entries/x" },
        { "%5C%22%3Cscript%3E", "\\\"<script>" },
        { "line%0D%0Abreak", "line\r\nbreak" },
        { "libstdc++6:amd64@1~2!(x);a=b,c&'*$", "libstdc++6:amd64@1~2!(x);a=b,c&'*$" },
        { "...", "..." },
        { "k?maxAge=1", "k" },
    };

    [Theory]
    [MemberData(nameof(HardKeys))]
    public async Task A_key_is_what_its_target_says(string target, string key)
    {
        CacheTable<string, byte[]> table = Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");
        string path = "/v1/tables/t/entries/" + target;
        string created = await Server.SendRawAsync("PUT " + path, "Content-Length: 0");
        Assert.StartsWith("HTTP/1.1 201 ", created, StringComparison.Ordinal);
        Assert.Equal([key], table.Keys);
        Assert.StartsWith("HTTP/1.1 200 ", await Server.SendRawAsync("GET " + path), StringComparison.Ordinal);

        // The address that the service gives leads to the same entry, also through a client that tidies addresses.
        string location = HeaderOf(created, "Location");
        Assert.StartsWith("HTTP/1.1 200 ", await Server.SendRawAsync("HEAD " + location), StringComparison.Ordinal);
        Assert.Empty(await Client.GetByteArrayAsync(location));
        Assert.StartsWith("HTTP/1.1 204 ", await Server.SendRawAsync("DELETE " + path), StringComparison.Ordinal);
        Assert.Empty(table.Keys);
    }

    [Fact]
    public async Task Escapes_that_look_alike_are_different_entries()
    {
        string[] targets = ["a%2Fb", "a%252Fb", "a%25252Fb", "a+b", "a%20b", "A"];
        foreach (string target in targets)
            (await Server.PutAsync("/v1/tables/t/entries/" + target, Encoding.ASCII.GetBytes(target))).EnsureSuccessStatusCode();
        foreach (string target in targets)
            Assert.Equal(target, await Client.GetStringAsync("/v1/tables/t/entries/" + target));
        Assert.Equal(targets.Length, Server.Service<PileCache>().GetStatistics("t").EntryCount);
    }

    [Fact]
    public async Task A_table_of_the_application_with_other_keys_or_values_is_not_served_and_not_changed()
    {
        PileCache cache = Server.Service<PileCache>();
        cache.GetOrCreateTable<long, string>("longs").Put(1, "one");
        cache.GetOrCreateTable<string, string>("texts").Put("k", "\u00FFtext");
        foreach (HttpMethod method in new[] { HttpMethod.Get, HttpMethod.Put, HttpMethod.Delete })
        {
            using HttpResponseMessage response = await Client.SendAsync(new HttpRequestMessage(method, "/v1/tables/longs/entries/1"));
            await ProblemAsync(response, System.Net.HttpStatusCode.Conflict, "table_key_type");
        }
        await ProblemAsync(await Client.GetAsync("/v1/tables/texts/entries/k"), System.Net.HttpStatusCode.Conflict, "value_not_servable");
        Assert.StartsWith(
            "HTTP/1.1 409 ", await Server.SendRawAsync("HEAD /v1/tables/texts/entries/k"), StringComparison.Ordinal);
        Assert.Equal("one", cache.GetOrCreateTable<long, string>("longs").Get(1));
    }

    private static string HeaderOf(string answer, string name)
    {
        int start = answer.IndexOf($"\r\n{name}: ", StringComparison.Ordinal) + name.Length + 4;
        return answer[start..answer.IndexOf("\r\n", start, StringComparison.Ordinal)];
    }
}
