using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Protocol;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Two applications with the same entries in one process: one with the fast path, one without.</summary>
public sealed class ServerPair : IAsyncLifetime
{
    internal ServedApp Fast { get; private set; } = null!;

    internal ServedApp Plain { get; private set; } = null!;

    internal Dictionary<string, string> FastTags { get; } = [];

    internal Dictionary<string, string> PlainTags { get; } = [];

    public async Task InitializeAsync()
    {
        Fast = await ServedApp.StartAsync(isFast: true);
        Plain = await ServedApp.StartAsync(isFast: false);
        Fill(Fast, FastTags);
        Fill(Plain, PlainTags);
        Fast.Time.Advance(TimeSpan.FromSeconds(3.5));
        Plain.Time.Advance(TimeSpan.FromSeconds(3.5));
    }

    public async Task DisposeAsync()
    {
        await Fast.DisposeAsync();
        await Plain.DisposeAsync();
    }

    /// <summary>Sends the same to both and compares what comes back; <c>{tag:KEY}</c> stands for an entry's tag.</summary>
    /// <returns>The answers in the form that was compared.</returns>
    internal async Task<string> CompareAsync(string sent, params int[] cuts)
    {
        byte[] plain = await RawClient.ExchangeAsync(Plain.Port, Encoding.Latin1.GetBytes(Resolve(sent, PlainTags)), cuts);
        byte[] fast = await RawClient.ExchangeAsync(Fast.Port, Encoding.Latin1.GetBytes(Resolve(sent, FastTags)), cuts);
        string expected = AnswerText.Normalize(plain);
        string actual = AnswerText.Normalize(fast);
        if (expected != actual)
            Assert.Fail($"SENT:\n{sent}\nSTACK:\n{expected}\nFAST PATH:\n{actual}");
        return actual;
    }

    internal static byte[] Zip(byte[] payload)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
            gzip.Write(payload);
        return packed.ToArray();
    }

    private static string Resolve(string sent, Dictionary<string, string> tags)
    {
        foreach ((string key, string tag) in tags)
            sent = sent.Replace("{tag:" + key + "}", tag, StringComparison.Ordinal);
        return sent;
    }

    private static void Fill(ServedApp app, Dictionary<string, string> tags)
    {
        tags["a"] = app.Put("a", "{\"a\":1}"u8);
        tags["empty"] = app.Put("empty", []);
        tags["kilobyte"] = app.Put("kilobyte", Bytes(1000), "text/plain");
        tags["most"] = app.Put("most", Bytes(EntryReader.SliceBytes), "application/octet-stream");
        tags["more"] = app.Put("more", Bytes(EntryReader.SliceBytes + 1), "application/octet-stream");
        tags["large"] = app.Put("large", Bytes(300_000), "application/octet-stream");
        tags["own"] = app.Put("own", "x"u8, "application/x-own");
        tags["zip"] = app.Put("zip", Zip(Bytes(5_000)), "text/plain", ContentCoding.Gzip);
        tags["ages"] = app.Put("ages", "{}"u8, options: new EntryOptions { MaxAge = TimeSpan.FromMinutes(2) });
        foreach (string type in (string[])["text/html", "text/html; charset=utf-8", "image/svg+xml", "application/xml", "text/xml",
            "application/pdf", "image/png"])
            tags[type] = app.Put(type, "<svg/>"u8, type, options: new EntryOptions { MaxAge = TimeSpan.FromMinutes(2) });
        tags["zip-page"] = app.Put("zip-page", Zip(Bytes(5_000)), "text/html; charset=utf-8", ContentCoding.Gzip);
        app.Put("xhtml", "<html/>"u8, "application/xhtml+xml");
        app.Put("large-page", Bytes(300_000), "text/html");
        tags["a/b"] = app.Put("a/b", "slash"u8);
        app.Table.PutBytes("foreign", [0xFE, 1, 2], out _);
    }

    private static byte[] Bytes(int lengthBytes)
    {
        var bytes = new byte[lengthBytes];
        new Random(lengthBytes).NextBytes(bytes);
        for (int i = 0; i < bytes.Length; i++)
            bytes[i] = (byte)('a' + bytes[i] % 26); // so that no body looks like an answer
        return bytes;
    }
}
