using System;
using System.IO;

namespace BigPile.Caching.Tests.Factories;

/// <summary>A test with a table whose entries stay behind their expiry.</summary>
public abstract class FailSafeTest : IDisposable
{
    internal static readonly TimeSpan Life = TimeSpan.FromMinutes(1);
    internal static readonly TimeSpan FailSafe = TimeSpan.FromHours(1);
    internal static readonly TimeSpan Tick = new(1);
    internal static readonly EntryOptions Kept =
        new() { MaxAge = Life, FailSafeMaxAge = FailSafe, FailSafeThrottle = TimeSpan.Zero };

    protected FailSafeTest()
    {
        Cache = TestCache.Make(Time);
        Table = Cache.GetOrCreateTable<string, string>("t");
    }

    internal ManualTime Time { get; } = new();

    internal PileCache Cache { get; }

    internal CacheTable<string, string> Table { get; }

    public void Dispose()
    {
        Cache.Dispose();
        GC.SuppressFinalize(this);
    }

    internal static string Throw(string key, FactoryContext<string> context) => throw new IOException("no source");
}
