using System;
using System.Globalization;
using System.Text.RegularExpressions;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>A limit in bytes includes the index, which does not shrink.</summary>
public sealed partial class IndexLimitTests : IDisposable
{
    private readonly PileCache _cache = TestCache.Make();

    public void Dispose() => _cache.Dispose();

    [Theory]
    [InlineData(100_000, null)]
    [InlineData(100_000, 100L << 20)]
    [InlineData(5_000_000, null)] // the least that it may be is one of the larger limits
    public void A_limit_below_the_index_is_refused_and_nothing_goes(long entries, long? before)
    {
        var options = new TableOptions("t") { InitialEntries = entries, MaxBytes = before };
        CacheTable<long, byte[]> table = _cache.GetOrCreateTable<long, byte[]>(options);
        for (long key = 0; key < 1000; key++)
            table.Put(key, BitConverter.GetBytes(key));
        ArgumentException e = Assert.Throws<ArgumentException>(() => table.Configure(options with { MaxBytes = 1 << 20 }));
        Assert.Contains("MaxBytes of the table 't' can't be lowered to 1,048,576: its index takes", e.Message, StringComparison.Ordinal);
        Assert.Equal((1000, options), (table.Count, table.Options));
        Assert.Equal(PutResult.Inserted, table.Put(1000, []));

        table.Configure(options with { MaxBytes = LeastOf(e.Message) });
        for (long key = 0; key < 200; key++)
        {
            Assert.NotEqual(PutResult.Collision, table.Put(key, new byte[5_000]));
            Assert.Equal(new byte[5_000], table.Get(key));
        }
        Assert.Throws<ArgumentException>(() => table.Configure(options with { MaxBytes = LeastOf(e.Message) - 1 }));
    }

    private static long LeastOf(string message) =>
        long.Parse(Number().Match(message).Groups[1].Value, NumberStyles.AllowThousands, CultureInfo.InvariantCulture);

    [GeneratedRegex("Set it to ([0-9,]+) at least")]
    private static partial Regex Number();
}
