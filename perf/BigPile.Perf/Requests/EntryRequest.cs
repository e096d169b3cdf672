using System;
using System.Globalization;
using System.Text;

namespace BigPile.Perf.Requests;

/// <summary>Requests for entries of the table that the load uses, as they go over the wire.</summary>
internal static class EntryRequest
{
    private static readonly byte[][] Gets = MakeGets();

    internal static ReadOnlySpan<byte> Get(int key) => Gets[key];

    /// <summary>The head of a request; the value follows.</summary>
    internal static byte[] Put(int key, int valueBytes) => Of("PUT", key, $"Content-Length: {valueBytes}\r\n");

    private static byte[] Of(string method, int key, string headers) => Encoding.ASCII.GetBytes(string.Create(
        CultureInfo.InvariantCulture, $"{method} /v1/tables/load/entries/key-{key:D8} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"));

    private static byte[][] MakeGets()
    {
        var gets = new byte[HttpOptions.Entries][];
        for (int key = 0; key < gets.Length; key++)
            gets[key] = Of("GET", key, "");
        return gets;
    }
}
