using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>A test of reads through the full stack, of a table with one entry.</summary>
public abstract class StackReadTest : IAsyncLifetime
{
    protected const string At = "/v1/tables/t/entries/";

    private protected ServedApp App { get; private set; } = null!;

    public async Task InitializeAsync()
    {
        App = await ServedApp.StartAsync(isFast: false);
        App.Put("k", "0123456789"u8);
    }

    public Task DisposeAsync() => App.DisposeAsync().AsTask();

    protected async Task<(string Head, byte[] Body)> GetAsync(string target, params string[] headers) =>
        await SendAsync("GET", target, headers);

    protected async Task<(string Head, byte[] Body)> SendAsync(string method, string target, params string[] headers)
    {
        string sent = $"{method} {At}{target} HTTP/1.1\r\nHost: h\r\nConnection: "
            + $"close\r\n{string.Concat(headers.Select(static h => h + "\r\n"))}\r\n";
        byte[] all = await RawClient.ExchangeAsync(App.Port, Encoding.Latin1.GetBytes(sent));
        int end = all.AsSpan().IndexOf("\r\n\r\n"u8);
        string head = Encoding.Latin1.GetString(all, 0, end + 2);
        byte[] body = all[(end + 4)..];
        return (head, head.Contains("Transfer-Encoding: chunked", StringComparison.Ordinal) ? Join(body) : body);
    }

    private static byte[] Join(byte[] chunks)
    {
        var joined = new List<byte>();
        while (chunks.Length != 0)
        {
            int line = chunks.AsSpan().IndexOf("\r\n"u8);
            int lengthBytes = Convert.ToInt32(Encoding.ASCII.GetString(chunks, 0, line), 16);
            joined.AddRange(chunks.AsSpan(line + 2, lengthBytes));
            chunks = chunks[(line + 2 + lengthBytes + 2)..];
        }
        return [.. joined];
    }

    protected string Tag(string key) => EntityTag.Of(App.Table.TryGetInfo(key, out EntryInfo info) ? info.Version : 0);
}
