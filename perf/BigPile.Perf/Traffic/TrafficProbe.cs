using System;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text.Json;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Traffic;

/// <summary>Asks the server what it can do and how it is.</summary>
internal static class TrafficProbe
{
    private const string Entry = "/v1/tables/" + RequestWriter.Table + "/entries/probe";

    /// <summary>Tries what not every server can; makes the table.</summary>
    internal static TrafficFeatures FeaturesOf(IPEndPoint server)
    {
        using HttpClient client = ClientOf(server);
        using HttpResponseMessage refusal = Put(client, "never");
        bool hasLifetimes = refusal.StatusCode == HttpStatusCode.BadRequest; // who does not know them takes any text
        using HttpResponseMessage answer = Put(client, "1h");
        answer.EnsureSuccessStatusCode();
        using HttpResponseMessage read = client.Send(new HttpRequestMessage(HttpMethod.Get, Entry));
        bool statesLifetimes = read.Headers.Contains("BigPile-Ttl");
        using HttpResponseMessage removed = client.Send(new HttpRequestMessage(HttpMethod.Delete, Entry));
        removed.EnsureSuccessStatusCode();
        return new TrafficFeatures(hasLifetimes, statesLifetimes, HasBatches(client));
    }

    /// <summary>The memory of a server that serves.</summary>
    internal static TrafficMemory MemoryOf(ServerProcess server, int percent)
    {
        using HttpClient client = ClientOf(server.Address);
        using HttpResponseMessage answer = client.Send(new HttpRequestMessage(HttpMethod.Get, "/v1/stats"));
        using JsonDocument stats = JsonDocument.Parse(answer.EnsureSuccessStatusCode().Content.ReadAsStream());
        JsonElement root = stats.RootElement;
        long entries = 0;
        foreach (JsonElement table in root.GetProperty("tables").EnumerateArray())
            entries += table.GetProperty("entries").GetInt64();
        return new TrafficMemory(
            percent, server.Id, server.ResidentBytes(), root.GetProperty("process").GetProperty("managedBytes").GetInt64(), entries,
            root.GetProperty("pile").GetProperty("memoryBytes").GetProperty("reserved").GetInt64());
    }

    private static HttpResponseMessage Put(HttpClient client, string lifetime)
    {
        using var put = new HttpRequestMessage(HttpMethod.Put, Entry) { Content = new ByteArrayContent([1]) };
        put.Headers.Add("BigPile-Ttl", lifetime);
        return client.Send(put);
    }

    private static bool HasBatches(HttpClient client)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/v1/tables/" + RequestWriter.Table + ":mget")
        {
            Content = new ByteArrayContent([1, 0, (byte)'x']),
        };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/vnd.bigpile.keys");
        request.Headers.Accept.ParseAdd("application/vnd.bigpile.batch");
        using HttpResponseMessage answer = client.Send(request);
        return answer.IsSuccessStatusCode && answer.Content.Headers.ContentType?.MediaType == "application/vnd.bigpile.batch";
    }

    private static HttpClient ClientOf(IPEndPoint server) => new() { BaseAddress = new Uri($"http://{server}") };
}
