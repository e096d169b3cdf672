using System;
using System.IO;
using System.IO.Compression;
using System.Linq;

namespace BigPile.Caching.Tests.Golden;

/// <summary>Makes piles with tables whose every byte counts, closed and as a kill leaves them, and knows what is in them.</summary>
internal static class GoldenTables
{
    internal const string Closed = "closed";
    internal const string Killed = "killed";

    private const int Count = 500;

    private static readonly Guid Boot = new("00000000-0000-0000-0000-00000000001f");

    /// <summary>Makes a pile of a kind and packs it.</summary>
    internal static void Make(string kind, string workDirectory, string zipPath)
    {
        string pilePath = Path.Combine(workDirectory, "pile");
        string imagePath = Path.Combine(workDirectory, "image");
        using (PileCache cache = Open(pilePath, new ManualTime()))
        {
            Fill(cache);
            if (kind == Killed)
                KilledPile.Copy(pilePath, imagePath);
        }
        if (kind == Closed)
            KilledPile.Copy(pilePath, imagePath);
        ZipFile.CreateFromDirectory(imagePath, zipPath, CompressionLevel.SmallestSize, includeBaseDirectory: false);
    }

    internal static PileCache Open(string directory, ManualTime time) => new(
        Pile.Open(directory, new PileOptions { SegmentBytes = 4 << 20, BootId = Boot, TimeProvider = time }),
        new PileCacheOptions
        {
            OwnsPile = true, TimeProvider = time, SweepPeriod = default, WaitsUntilReady = true, DefaultTableOptions = TestCache.AllDurable,
        });

    /// <summary>Compares a day after the pile was made.</summary>
    internal static void Check(PileCache cache, ManualTime time)
    {
        Assert.Equal(["guids", "numbers", "texts"], cache.TableNames);
        CacheTable<string, string> texts = cache.GetOrCreateTable<string, string>("texts");
        for (int number = 0; number < Count; number++)
        {
            bool isThere = texts.TryGet(KeyOf(number), out string? text);
            Assert.True(isThere == !IsRemoved(number), $"{KeyOf(number)}: {isThere}");
            Assert.Equal(isThere ? TextOf(number) : null, text);
        }
        CacheTable<long, byte[]> numbers = cache.GetOrCreateTable<long, byte[]>("numbers");
        Assert.Equal(
            Enumerable.Range(0, Count).Where(static number => number % 3 != 0), numbers.Keys.Select(static key => (int)key).Order());
        CheckTimes(numbers, time);
        Assert.True(cache.GetOrCreateTable<Guid, string?>("guids").TryGet(new Guid(1, 2, 3, new byte[8]), out string? none));
        Assert.Null(none);
        Assert.Equal(PutResult.Inserted, texts.Put("new", "entry"));
        Assert.Equal("entry", texts.Get("new"));
    }

    private static void Fill(PileCache cache)
    {
        CacheTable<string, string> texts = cache.GetOrCreateTable<string, string>("texts");
        CacheTable<long, byte[]> numbers = cache.GetOrCreateTable<long, byte[]>("numbers");
        for (int number = 0; number < Count; number++)
        {
            texts.Put(KeyOf(number), "before", new EntryOptions { Tags = number % 5 == 0 ? ["five", "all"] : ["all"] });
            if (number % 5 != 0)
                texts.Put(KeyOf(number), TextOf(number)); // without tags
            numbers.Put(number, new byte[number], OptionsOf(number));
        }
        texts.RemoveByTag("five");
        for (int number = 0; number < Count; number += 7)
            texts.Remove(KeyOf(number));
        cache.GetOrCreateTable<Guid, string?>("guids").Put(new Guid(1, 2, 3, new byte[8]), null);
    }

    private static void CheckTimes(CacheTable<long, byte[]> numbers, ManualTime time)
    {
        foreach (TableEntry<long> entry in numbers.Entries)
        {
            Assert.Equal(entry.Key, entry.Info.ValueBytes);
            Assert.Equal(TimeSpan.FromDays(1), entry.Age);
            Assert.Equal(entry.Key % 3 == 1 ? time.GetUtcNow().AddDays(1) : null, entry.ExpiresAt);
            Assert.Equal(entry.Key % 3 == 1 ? EntryPriority.High : EntryPriority.Normal, entry.Priority);
        }
    }

    // Gone before they are looked at, gone later, or there for ever.
    private static EntryOptions? OptionsOf(int number) => (number % 3) switch
    {
        0 => new EntryOptions { MaxAge = TimeSpan.FromHours(1) },
        1 => new EntryOptions { MaxAge = TimeSpan.FromDays(2), Priority = EntryPriority.High },
        _ => null,
    };

    private static bool IsRemoved(int number) => number % 5 == 0 || number % 7 == 0;

    private static string KeyOf(int number) => $"schlüssel-{number}";

    private static string TextOf(int number) => new((char)('a' + number % 26), number);
}
