using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using System.Web;
using BigPile.AspNetCore.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.Playwright;

namespace BigPile.Page.Tests.Support;

/// <summary>Lists keys in the place of the service, from the service's own tables.</summary>
internal static class KeyListing
{
    internal static Task ServeAsync(IPage tab, RunningServer server) =>
        tab.RouteAsync("**/v1/tables/*/keys?*", route => AnswerAsync(route, server));

    private static Task AnswerAsync(IRoute route, RunningServer server)
    {
        var uri = new Uri(route.Request.Url);
        System.Collections.Specialized.NameValueCollection query = HttpUtility.ParseQueryString(uri.Query);
        string table = Uri.UnescapeDataString(uri.AbsolutePath.Split('/')[3]);
        int limit = int.Parse(query["limit"]!, System.Globalization.CultureInfo.InvariantCulture);
        int begin = int.Parse(query["cursor"] ?? "0", System.Globalization.CultureInfo.InvariantCulture);
        server.Service<PileHost>().Cache.TryGetTable(table, out BigPile.Caching.CacheTable<string, byte[]>? known);
        string[] keys = [.. known!.Keys.Where(key => key.StartsWith(query["prefix"] ?? "", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];
        string[] page = [.. keys.Skip(begin).Take(limit)];
        var body = new Dictionary<string, object?> { ["keys"] = page, ["cursor"] = begin + limit < keys.Length ? $"{begin + limit}" : null };
        return route.FulfillAsync(new() { Status = 200, ContentType = "application/json", Body = JsonSerializer.Serialize(body) });
    }
}
