using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Samples;

/// <summary>The README's example of tables; a test runs it, and another one compares it with the README.</summary>
internal static class Tables
{
    internal static async Task<string> RunAsync(PileCache cache, Func<long, CancellationToken, ValueTask<string>> load)
    {
        // README: tables
        CacheTable<long, string> pages = cache.GetOrCreateTable<long, string>(new TableOptions("pages")
        {
            CollisionMode = CollisionMode.Durable,         // entries leave only by removal, expiry or a limit
            MaxBytes = 4L << 30,                           // keys, values and the index together, never above
            DefaultMaxAge = TimeSpan.FromMinutes(10),
        });
        string page = await pages.GetOrAddAsync(7, load);  // one run of the factory, however many wait
        pages.Put(8, page, new EntryOptions { Sliding = TimeSpan.FromMinutes(1), Tags = ["shop"], Priority = EntryPriority.High });
        pages.RemoveByTag("shop");                         // the same cost for one entry or a million
        // README: end of tables
        return pages.ContainsKey(8) ? "" : page;
    }
}
