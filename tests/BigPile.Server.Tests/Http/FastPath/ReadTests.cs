using System;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Reads through the full stack: ages, and what is missing.</summary>
public sealed class ReadTests : StackReadTest
{
    [Fact]
    public async Task An_answer_says_how_old_the_entry_is_and_how_long_it_stays()
    {
        App.Put("ages", "x"u8, options: new EntryOptions { MaxAge = TimeSpan.FromSeconds(60) });
        App.Time.Advance(TimeSpan.FromSeconds(10.9));
        foreach (string method in new[] { "GET", "HEAD" })
        {
            (string head, _) = await SendAsync(method, "ages");
            Assert.Contains("Age: 10\r\n", head, StringComparison.Ordinal);
            Assert.Contains("Cache-Control: private, max-age=60\r\n", head, StringComparison.Ordinal);
            Assert.Contains("BigPile-Ttl: 49\r\n", head, StringComparison.Ordinal);
            Assert.Contains("Last-Modified: Wed, 02 Jan 2030 03:04:05 GMT\r\n", head, StringComparison.Ordinal);
            Assert.Contains("Accept-Ranges: bytes\r\n", head, StringComparison.Ordinal);
        }
        (string known, byte[] none) = await GetAsync("ages", "If-None-Match: " + Tag("ages"));
        Assert.Contains("Cache-Control: private, max-age=60\r\n", known, StringComparison.Ordinal);
        Assert.Contains("Age: 10\r\n", known, StringComparison.Ordinal);
        Assert.DoesNotContain("BigPile-Ttl", known, StringComparison.Ordinal);
        Assert.Empty(none);
        (string forever, _) = await GetAsync("k");
        Assert.Contains("Cache-Control: private, no-cache\r\n", forever, StringComparison.Ordinal);
        Assert.DoesNotContain("BigPile-Ttl", forever, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_table_may_say_that_caches_on_the_way_keep_its_entries()
    {
        App.Put("ages", "x"u8, options: new EntryOptions { MaxAge = TimeSpan.FromSeconds(60) });
        App.Table.Configure(App.Table.Options with { PublicMaxAge = TimeSpan.FromSeconds(50) });
        App.Time.Advance(TimeSpan.FromSeconds(20.5));
        foreach ((string key, string seconds) in new[] { ("k", "50"), ("ages", "39") })
        {
            foreach (string condition in new[] { "", "If-None-Match: " + Tag(key) })
            {
                (string head, _) = await GetAsync(key, condition.Length == 0 ? [] : [condition]);
                Assert.Contains($"Cache-Control: public, max-age={seconds}\r\n", head, StringComparison.Ordinal);
                // A cache that counts it would keep it for less, and one that does not for more.
                Assert.DoesNotContain("\r\nAge:", head, StringComparison.Ordinal);
            }
        }
        foreach (string query in new[] { "maxAge=100", "look=true" }) // these answers depend on the current time, so no cache may keep them
        {
            foreach (string condition in new[] { "X: x", "If-None-Match: " + Tag("k") })
            {
                (string head, _) = await GetAsync("k?" + query, condition);
                Assert.Contains("Cache-Control: private, no-cache\r\n", head, StringComparison.Ordinal);
            }
        }
        (string none, _) = await GetAsync("none");
        Assert.Contains("Cache-Control: no-store\r\n", none, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_entry_that_is_too_old_is_as_good_as_missing()
    {
        App.Time.Advance(TimeSpan.FromSeconds(30));
        Assert.StartsWith("HTTP/1.1 200 ", (await GetAsync("k?maxAge=30")).Head, StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 200 ", (await GetAsync("k?x=1&maxAge=9999999999&y")).Head, StringComparison.Ordinal);
        (string head, byte[] body) = await GetAsync("k?maxAge=29");
        Assert.StartsWith("HTTP/1.1 404 ", head, StringComparison.Ordinal);
        Assert.Contains("\"code\":\"entry_stale\"", Encoding.UTF8.GetString(body), StringComparison.Ordinal);
        foreach (string wrong in new[] { "", "-1", "1s", "1.5", "10000000000" })
            Assert.StartsWith("HTTP/1.1 400 ", (await GetAsync("k?maxAge=" + wrong)).Head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_prefers_it_gets_404_without_a_body()
    {
        (string head, byte[] body) = await GetAsync("none", "Prefer: respond-async, return=minimal; x=y");
        Assert.StartsWith("HTTP/1.1 404 ", head, StringComparison.Ordinal);
        Assert.Contains("Content-Length: 0\r\n", head, StringComparison.Ordinal);
        Assert.Contains("Preference-Applied: return=minimal\r\n", head, StringComparison.Ordinal);
        Assert.Empty(body);
        Assert.NotEmpty((await GetAsync("none", "Prefer: return=representation")).Body);
    }
}
