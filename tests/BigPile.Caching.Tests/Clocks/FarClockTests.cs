using System;
using BigPile.Durability;

namespace BigPile.Caching.Tests.Clocks;

/// <summary>A clock that is far off makes no entry that can't be read, then and when it is right again, and uses up no versions.</summary>
public sealed class FarClockTests : IDisposable
{
    private static readonly DateTimeOffset Right = new(2026, 11, 27, 0, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset LastBelieved = new(2200, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset EndOfMilliseconds = DateTimeOffset.UnixEpoch.AddMilliseconds(1L << 43);
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<DateTimeOffset, bool> FarClocks
    {
        get
        {
            var data = new TheoryData<DateTimeOffset, bool>();
            DateTimeOffset[] clocks =
            [
                DateTimeOffset.MinValue, DateTimeOffset.UnixEpoch.AddTicks(-1), DateTimeOffset.UnixEpoch, LastBelieved,
                LastBelieved.AddTicks(1), EndOfMilliseconds.AddMilliseconds(-1), EndOfMilliseconds, EndOfMilliseconds.AddYears(100),
                DateTimeOffset.UnixEpoch.AddMilliseconds(1L << 44), DateTimeOffset.MaxValue,
            ];
            foreach (DateTimeOffset clock in clocks)
            {
                data.Add(clock, true);
                data.Add(clock, false);
            }
            return data;
        }
    }

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(FarClocks))]
    public void What_is_put_under_it_and_when_it_is_right_again_can_be_read(DateTimeOffset far, bool hasStamps)
    {
        var time = new FarTime(hasStamps) { Clock = Right };
        ulong last = 0;
        using (PileCache cache = Open(time))
            PutAndRead(cache, "before", ref last);
        time.Clock = far;
        using (PileCache cache = Open(time))
        {
            PutAndRead(cache, "far", ref last);
            time.Clock = Right;
            PutAndRead(cache, "right", ref last);
            Assert.True(Table(cache).TryGet("right", Minute, out _), "what was just put is young");
        }
        using (PileCache cache = Open(time))
        {
            PutAndRead(cache, "again", ref last);
            CacheTable<string, string> table = Table(cache);
            foreach (string key in new[] { "before", "far", "right", "again" })
                Assert.True(table.TryGet(key, out _), key);
            PutAndRead(cache, "before", ref last);
            time.Pass(Hour);
            Assert.True(table.ContainsKey("right mortal") && table.ContainsKey("again mortal"));
            Assert.True(table.TryGet("again", 2 * Hour, out _) && !table.TryGet("again", Minute, out _));
            time.Pass(3 * Hour);
            foreach (string key in new[] { "before", "far", "right", "again" })
                Assert.True(table.ContainsKey(key) && !table.ContainsKey(key + " mortal"), key);
        }
        Assert.True(last < ulong.MaxValue / 4 * 2, $"version {last:x}");
    }

    [Theory]
    [MemberData(nameof(FarClocks))]
    public void Set_so_while_the_tables_are_open_it_makes_nothing_old(DateTimeOffset far, bool hasStamps)
    {
        var time = new FarTime(hasStamps) { Clock = Right };
        using PileCache cache = Make(time);
        CacheTable<string, string> table = Table(cache);
        ulong last = 0;
        for (int i = 0; i < 3; i++)
        {
            time.Clock = far;
            PutAndRead(cache, "far", ref last);
            Assert.True(table.TryGet("far", Minute, out _));
            time.Clock = Right;
            PutAndRead(cache, "right", ref last);
            Assert.True(table.TryGet("right", Minute, out _));
            Assert.True(table.TryGet("right", TimeSpan.MaxValue, out _) && table.TryGet("far", TimeSpan.MaxValue, out _));
        }
        time.Pass(2 * Hour);
        Assert.True(table.ContainsKey("right mortal"));
        time.Pass(2 * Hour);
        Assert.False(table.ContainsKey("right mortal"));
        Assert.True(table.TryGet("right", 5 * Hour, out _) && !table.TryGet("right", Hour, out _));
    }

    [Theory]
    [InlineData(long.MaxValue / 4)]
    [InlineData(500L * 366 * TimeSpan.TicksPerDay)]
    public void Stamps_that_run_for_centuries_end_the_time_and_no_entry(long ticks)
    {
        var time = new FarTime(hasStamps: true) { Clock = Right };
        using PileCache cache = Make(time);
        ulong last = 0;
        PutAndRead(cache, "before", ref last);
        time.Stamp += ticks;
        PutAndRead(cache, "far", ref last);
        time.Stamp -= ticks;
        PutAndRead(cache, "right", ref last);
        foreach (string key in new[] { "before", "far", "right" })
            Assert.True(Table(cache).TryGet(key, out _), key);
    }

    [Fact]
    public void Lives_as_long_as_there_are_numbers_are_for_ever()
    {
        var time = new FarTime(hasStamps: true) { Clock = Right };
        using PileCache cache = Make(time);
        CacheTable<string, string> table = Table(cache);
        EntryOptions[] lives =
        [
            new() { MaxAge = TimeSpan.MaxValue }, new() { ExpiresAt = DateTimeOffset.MaxValue }, new() { Sliding = TimeSpan.MaxValue },
            new() { MaxAge = TimeSpan.MaxValue, Sliding = TimeSpan.MaxValue, ExpiresAt = DateTimeOffset.MaxValue },
        ];
        for (int i = 0; i < lives.Length; i++)
        {
            table.Put($"k{i}", "v", lives[i]);
            time.Clock = i % 2 == 0 ? DateTimeOffset.MaxValue : DateTimeOffset.MinValue;
            Assert.True(table.TryGet($"k{i}", TimeSpan.MaxValue, out _));
            time.Clock = Right;
        }
        time.Pass(TimeSpan.FromDays(40_000));
        for (int i = 0; i < lives.Length; i++)
        {
            Assert.True(table.TryGetEntry($"k{i}", out TableEntry<string> entry));
            Assert.InRange(entry.Age, TimeSpan.FromDays(39_999), TimeSpan.FromDays(40_001));
        }
        table.Put("gone", "v", new EntryOptions { ExpiresAt = DateTimeOffset.MinValue });
        Assert.False(table.ContainsKey("gone"));
        _ = Assert.Throws<ArgumentOutOfRangeException>(() => table.Put("k", "v", new EntryOptions { MaxAge = TimeSpan.MinValue }));
        _ = Assert.Throws<ArgumentOutOfRangeException>(() => table.Put("k", "v", new EntryOptions { Priority = (EntryPriority)4 }));
        Assert.False(table.ContainsKey("k"));
    }

    [Fact]
    public void The_last_version_is_the_last_and_says_so()
    {
        using (Pile pile = OpenPile())
            pile.Engine.Versions.Restore(Versions.Max - 4);
        using (PileCache cache = Open(new FarTime(hasStamps: true) { Clock = Right }))
        {
            for (int i = 0; i < 4; i++)
                Assert.Equal(PutResult.Inserted, Table(cache).Put($"k{i}", "v", new EntryOptions { Tags = i % 2 == 0 ? null : ["tag"] }));
            RefusesAnother(cache);
        }
        using (PileCache cache = Open(new FarTime(hasStamps: true) { Clock = Right }))
            RefusesAnother(cache);
    }

    [Fact]
    public void Tables_of_a_pile_whose_versions_run_into_another_bit_are_refused_and_its_objects_are_not()
    {
        PilePointer pointer;
        using (Pile pile = OpenPile())
        {
            pointer = pile.Put("object");
            pile.Engine.Versions.Restore(Versions.Max + 1);
        }
        using (Pile pile = OpenPile())
        {
            for (int i = 0; i < 2; i++)
            {
                PileStorageException refused = Assert.Throws<PileStorageException>(() => new PileCache(pile));
                Assert.Contains("2248", refused.Message, StringComparison.Ordinal);
                Assert.Contains(_directory.Path, refused.Message, StringComparison.Ordinal);
            }
            Assert.Equal("object", pile.Get<string>(pointer));
        }
    }

    private static void RefusesAnother(PileCache cache)
    {
        CacheTable<string, string> table = Table(cache);
        PileException refused = Assert.Throws<PileException>(() => table.Put("another", "v"));
        Assert.Contains("2248", refused.Message, StringComparison.Ordinal);
        _ = Assert.Throws<PileException>(() => table.Put("k0", "other"));
        Assert.Equal(4, table.Count);
        for (int i = 0; i < 4; i++)
            Assert.True(table.TryGet($"k{i}", out string? value) && value == "v");
    }

    // Without options, and with all options that make a head longer.
    private static void PutAndRead(PileCache cache, string key, ref ulong last)
    {
        CacheTable<string, string> table = Table(cache);
        table.Put(key, key);
        Assert.True(table.TryGet(key, out string? value) && value == key, key);
        Assert.True(table.TryGetEntry(key, out TableEntry<string> entry), key);
        Assert.True(entry.Info.Version > last, key);
        last = entry.Info.Version;
        table.Put(key + " mortal", key, new EntryOptions { MaxAge = 3 * Hour, Tags = ["tag"], Priority = EntryPriority.High });
        Assert.True(table.TryGet(key + " mortal", out value) && value == key, key);
        Assert.True(table.TryGetEntry(key + " mortal", out entry), key);
        Assert.True(entry.Info.Version > last, key);
        last = entry.Info.Version;
    }

    private static CacheTable<string, string> Table(PileCache cache) => cache.GetOrCreateTable<string, string>("t");

    private static PileCache Make(FarTime time) => new(new Pile(new PileOptions { SegmentBytes = 16 << 20 }), Options(time));

    private Pile OpenPile() => Pile.Open(_directory.Path, new PileOptions { SegmentBytes = 4 << 20 });

    private PileCache Open(FarTime time) => new(OpenPile(), Options(time));

    private static PileCacheOptions Options(FarTime time) => new()
    {
        OwnsPile = true,
        TimeProvider = time,
        SweepPeriod = TimeSpan.Zero,
        WaitsUntilReady = true,
        DefaultTableOptions = TestCache.AllDurable,
    };

    /// <summary>A clock that is set, with stamps of its own or none.</summary>
    private sealed class FarTime(bool hasStamps) : TimeProvider
    {
        internal DateTimeOffset Clock { get; set; }

        internal long Stamp { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => hasStamps ? Stamp : Clock.UtcTicks;

        public override DateTimeOffset GetUtcNow() => Clock;

        internal void Pass(TimeSpan time)
        {
            Stamp += time.Ticks;
            Clock = DateTimeOffset.MaxValue - Clock < time ? DateTimeOffset.MaxValue : Clock + time;
        }
    }
}
