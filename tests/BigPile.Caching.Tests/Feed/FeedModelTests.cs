using System;
using System.Linq;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Feed;

/// <summary>The changes over the state at their start are the table, whatever was done, and wherever a reader began.</summary>
public sealed class FeedModelTests(ITestOutputHelper output) : IDisposable
{
    private const int KeyCount = 60;
    private static readonly string[] Keys =
        [.. Enumerable.Range(0, KeyCount).SelectMany(static number => new[] { $"key {number}", $"key {number}2" }), "many", "made"];
    private static readonly string[] Tags = ["x", "y", "z"];
    private static readonly int Seeds = TestLeg.Steps(2, 200);

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new(new DateTimeOffset(2026, 3, 1, 0, 0, 0, TimeSpan.Zero));

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("durable")]
    [InlineData("speculative")]
    [InlineData("limited")]
    [InlineData("bytes")]
    [InlineData("fixed")]
    [InlineData("spilled")]
    [InlineData("mapped")]
    [InlineData("checked")]
    [InlineData("copied")]
    [InlineData("small")]
    public async Task A_fold_is_the_table(string kind)
    {
        int first = TestLeg.Seed(1);
        long changes = 0;
        int gaps = 0;
        for (int seed = first; seed < first + Seeds; seed++)
        {
            using PileCache cache = Make(kind, seed);
            CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(OptionsOf(kind));
            (long told, int missed) = await RunAsync(table, new Random(seed), isSmall: kind == "small", $"{kind}, seed {seed}");
            changes += told;
            gaps += missed;
        }
        output.WriteLine($"{kind}, seeds {first} to {first + Seeds - 1}: {changes} changes, {gaps} gaps");
        Assert.NotEqual(0, changes);
        Assert.Equal(kind == "small", gaps != 0);
    }

    private PileCache Make(string kind, int seed) => new(
        kind is "mapped" or "checked"
            ? Pile.Open(
                System.IO.Path.Combine(_directory.Path, $"pile-{seed}"),
                new PileOptions { SegmentBytes = 4 << 20, Checksums = kind == "checked" ? PileChecksums.AtEveryRead : default })
            : new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 4 << 20 }),
        new PileCacheOptions
        {
            OwnsPile = true,
            TimeProvider = _time,
            SweepPeriod = TimeSpan.Zero,
            MonitorsMemory = false,
            SpillDirectory = kind == "spilled" ? _directory.Path : null,
        });

    private static TableOptions OptionsOf(string kind) => kind switch
    {
        "speculative" => new TableOptions("t") { FeedBytes = 1 << 20 },
        "limited" or "spilled" => new TableOptions("t") { FeedBytes = 1 << 20, MaxEntries = KeyCount / 3 },
        "bytes" => new TableOptions("t") { FeedBytes = 512 << 10, MaxBytes = 1 << 20 },
        "fixed" => new TableOptions("t") { FeedBytes = 1 << 20, FixedIndex = true, InitialEntries = 8 },
        "small" => TestCache.Durable() with { FeedBytes = 256 << 10 },
        _ => TestCache.Durable() with { FeedBytes = 1 << 20, FeedsValues = kind == "copied" },
    };

    private async Task<(long Changes, int Gaps)> RunAsync(CacheTable<string, string> table, Random random, bool isSmall, string why)
    {
        var early = new FeedFold<string, string>();
        var late = new FeedFold<string, string>();
        var options = new ChangeOptions { Values = random.Next(2) == 0 };
        for (int step = 0; step < 2_000; step++)
        {
            Operate(table, random, isSmall && step % 500 == 499);
            if (random.Next(40) == 0)
                await early.CatchUpAsync(table, options);
            if (step > 1_000 && random.Next(200) == 0)
                await late.CatchUpAsync(table, options);
            if (random.Next(100) != 0)
                continue;
            await early.CatchUpAsync(table, options);
            early.AssertIs(table, $"{why}, step {step}", Keys);
        }
        await early.CatchUpAsync(table, options);
        await late.CatchUpAsync(table, options);
        early.AssertIs(table, $"{why}, early", Keys);
        late.AssertIs(table, $"{why}, late", Keys);
        Assert.Equal(0, late.Gaps * (isSmall ? 0 : 1));
        table.Core.Feed.CheckInvariants();
        table.Core.CheckInvariants();
        return (early.Changes + late.Changes, early.Gaps + late.Gaps);
    }

    private void Operate(CacheTable<string, string> table, Random random, bool floods)
    {
        string key = $"key {random.Next(KeyCount)}";
        switch (random.Next(20))
        {
            case 0:
                table.RemoveByTag(Tags[random.Next(Tags.Length)]);
                break;
            case 1 when random.Next(20) == 0:
                table.Clear();
                break;
            case 2:
                _time.Advance(TimeSpan.FromMilliseconds(random.Next(3_000)));
                break;
            case 3:
                table.Sweep();
                break;
            case 4 or 5:
                table.Remove(key);
                break;
            case 6:
                table.TryGet(key, out _);
                break;
            case 7:
                table.Touch(key, OptionsOf(random) ?? new EntryOptions());
                break;
            case 8 when table.TryGetInfo(key, out EntryInfo info):
                if (random.Next(2) == 0)
                    table.Update(key, "updated", info.Version, out _, OptionsOf(random));
                else
                    table.Remove(key, info.Version);
                break;
            case 9:
                table.PutMany([key, "many", key + "2"], ["1", "2", "3"], new PutResult[3], OptionsOf(random));
                break;
            case 10:
                table.GetOrAdd(key, static _ => "made", OptionsOf(random));
                break;
            case 11:
                table.PutPointer(key, table.Pile.Put("object"), OptionsOf(random));
                break;
            case 12:
                TryGetPointer(table, key);
                break;
            case 13:
                table.RemoveMany([key, "many"]);
                break;
            case 14:
                table.GetOrAddMany([key, "made"], static keys => keys.ToDictionary(static one => one, static _ => "m"), OptionsOf(random));
                break;
            default:
                table.Put(key, new string('v', random.Next(random.Next(10) == 0 ? 20_000 : 200)), OptionsOf(random));
                break;
        }
        for (int i = 0; floods && i < 20_000; i++)
            table.Put(key, "flood");
    }

    private static void TryGetPointer(CacheTable<string, string> table, string key)
    {
        try
        {
            table.TryGetPointer(key, out _);
        }
        catch (PileFullException)
        {
            // it stays in the file
        }
    }

    private static EntryOptions? OptionsOf(Random random) => random.Next(6) switch
    {
        0 => new EntryOptions { MaxAge = TimeSpan.FromSeconds(1 + random.Next(5)) },
        1 => new EntryOptions { Sliding = TimeSpan.FromSeconds(1 + random.Next(5)) },
        2 => new EntryOptions { Tags = [Tags[random.Next(Tags.Length)], Tags[random.Next(Tags.Length)]] },
        3 => new EntryOptions
        {
            MaxAge = TimeSpan.FromSeconds(1 + random.Next(5)),
            FailSafeMaxAge = TimeSpan.FromSeconds(1 + random.Next(5)),
            Tags = [Tags[random.Next(Tags.Length)]],
        },
        4 => new EntryOptions { Priority = (EntryPriority)random.Next(3) },
        _ => null,
    };
}
