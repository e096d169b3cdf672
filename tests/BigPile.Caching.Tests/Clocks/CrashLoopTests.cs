using System;
using System.IO;
using BigPile.Durability;

namespace BigPile.Caching.Tests.Clocks;

/// <summary>A process that dies again and again, faster than versions are reserved ahead of the clock.</summary>
public sealed class CrashLoopTests : StoppedCacheTest
{
    private const int Kills = 40;

    private static readonly TimeSpan Life = TimeSpan.FromMilliseconds(100);

    // The versions that are reserved ahead, and a margin for the smallest reservation.
    private static readonly TimeSpan MostLead = TimeSpan.FromMilliseconds(2_000 + Kills);

    /// <summary>
    /// A lead of more than seconds would be taken for a clock that was wrong, and the time without a process would not count.
    /// </summary>
    [Fact]
    public void Its_versions_stay_by_the_clock_and_its_entries_grow_old()
    {
        for (int kill = 0; kill < Kills; kill++)
        {
            using PileCache cache = TestCache.Open(PathOf(kill), Time);
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
            ulong before = table.TryGetInfo("key", out EntryInfo old) ? old.Version : 0;
            table.Put("key", "value", null, out EntryInfo info);
            Assert.True(info.Version > before);
            Assert.InRange(LeadOf(info.Version), TimeSpan.Zero, MostLead);
            KilledPile.Copy(PathOf(kill), PathOf(kill + 1));
            Time.Advance(Life);
        }
        Time.Advance(TimeSpan.FromHours(1));
        using PileCache last = TestCache.Open(PathOf(Kills), Time);
        CacheTable<string, string> found = last.GetOrCreateTable<string, string>("t");
        Assert.True(found.TryGetEntry("key", out TableEntry<string> entry));
        Assert.InRange(entry.Age, TimeSpan.FromHours(1) - MostLead, TimeSpan.FromHours(1) + Life);
        Assert.False(found.TryGet("key", TimeSpan.FromMinutes(59), out _));
        Assert.True(found.TryGet("key", TimeSpan.FromMinutes(61), out _));
    }

    private string PathOf(int kill) => Path.Combine(DirectoryPath, $"{kill}");

    private TimeSpan LeadOf(ulong version) =>
        DateTimeOffset.FromUnixTimeMilliseconds((long)(version >> Versions.ClockShift)) - Time.GetUtcNow();
}
