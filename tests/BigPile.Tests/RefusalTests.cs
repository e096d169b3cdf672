using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Tests.Durability;

namespace BigPile.Tests;

/// <summary>The puts that a full pile refuses are counted, and logged once a minute.</summary>
public sealed class RefusalTests : IDisposable
{
    private const long PileBytes = 4 << 20;

    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly ManualTime _time = new();
    private readonly KeptLog _log = new();
    private readonly Pile _pile;

    public RefusalTests()
    {
        _pile = new Pile(new PileOptions
        {
            Name = "full", MaxBytes = PileBytes, SegmentBytes = PileOptions.MinSegmentBytes, TimeProvider = _time, Logger = _log,
        });
    }

    public void Dispose()
    {
        _pile.Dispose();
        _log.Dispose();
    }

    [Fact]
    public void What_is_withheld_meanwhile_is_said()
    {
        _ = _pile.Put(new byte[100]); // the pile takes its segment
        _ = _pile.Tables.Allow(PileBytes / 2, pagesAtOnce: 1);
        long withheld = _pile.Statistics.WithheldBytes;
        Assert.InRange(withheld, 1, PileBytes);
        string message = Assert.Throws<PileFullException>(() => _pile.Put(new byte[3 << 20])).Message;
        Assert.Contains(
            $": 4,194,304 bytes are reserved, {withheld:N0} bytes of them are withheld while the system is short of memory, and the limit "
            + "is 4,194,304 bytes. Raise", message, StringComparison.Ordinal);
        _ = _pile.Tables.Allow(PileBytes);
        Assert.DoesNotContain(
            "withheld", Assert.Throws<PileFullException>(() => _pile.Put(new byte[PileBytes])).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_first_is_said_at_once_and_those_of_a_minute_in_one_line()
    {
        Refuse();
        await Eventually.TrueAsync(() => _log.Lines.Count == 1);
        Assert.StartsWith("A put was refused as the pile is full: No space for a block of ", _log.Lines.Last(), StringComparison.Ordinal);
        Assert.Contains("Raise PileOptions.MaxBytes", _log.Lines.Last(), StringComparison.Ordinal);
        _time.Advance(Second);
        for (int i = 0; i < 3_015; i++)
            Refuse();
        _time.Advance(Second * 58);
        Refuse();
        Assert.Single(_log.Lines);
        _time.Advance(Second);
        Refuse();
        await Eventually.TrueAsync(() => _log.Lines.Count == 2);
        Assert.StartsWith(
            "3,017 puts were refused in the last 59 s as the pile is full. The last: No space for a block of ", _log.Lines.Last(),
            StringComparison.Ordinal);
        _time.Advance(TimeSpan.FromHours(1));
        Refuse();
        await Eventually.TrueAsync(() => _log.Lines.Count == 3);
        Assert.StartsWith("A put was refused", _log.Lines.Last(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_closing_says_the_rest()
    {
        Refuse();
        await Eventually.TrueAsync(() => _log.Lines.Count == 1);
        Refuse();
        Refuse();
        _pile.Dispose();
        Assert.Equal(2, _log.Lines.Count);
        Assert.StartsWith("2 puts were refused", _log.Lines.Last(), StringComparison.Ordinal);
        _pile.Dispose();
        Assert.Equal(2, _log.Lines.Count);
    }

    [Fact]
    public void A_pile_that_refuses_nothing_says_nothing()
    {
        _pile.Dispose();
        Assert.Empty(_log.Lines);
    }

    [Fact]
    public void Health_tells_for_a_minute_and_counts_on()
    {
        Assert.Equal(new PileHealth(), PileHealth.Of(_pile));
        Refuse();
        Refuse();
        _time.Advance(Second * 59);
        PileHealth health = PileHealth.Of(_pile);
        Assert.Equal("The pile is full, and has refused 2 puts, the last 59 s ago.", health.FullTrouble);
        Assert.Equal($"{health.FullTrouble} {health.LastRefusal}", health.FullTroubleDetails);
        Assert.Contains("the limit is 4,194,304 bytes. Raise PileOptions.MaxBytes", health.LastRefusal, StringComparison.Ordinal);
        Assert.Equal(_time.GetUtcNow() - (Second * 59), health.LastRefusedAt);
        _time.Advance(Second);
        health = PileHealth.Of(_pile);
        Assert.Null(health.FullTrouble);
        Assert.Null(health.FullTroubleDetails);
        Assert.Equal(2, health.RefusedPutCount);
        Assert.NotNull(health.LastRefusal);
        Assert.Equal(2, _pile.Statistics.RefusedPutCount);
    }

    [Fact]
    public void Replacements_and_batches_count_and_a_compaction_does_not()
    {
        PilePointer pointer = _pile.Put(new byte[100]);
        _pile.Replace(pointer, new byte[100_000]); // behind a link: a compaction would move it
        Fill();
        long before = PileHealth.Of(_pile).RefusedPutCount;
        Assert.Throws<PileFullException>(() => _pile.Replace(pointer, new byte[PileBytes / 2]));
        Assert.Equal(before + 1, PileHealth.Of(_pile).RefusedPutCount);
        byte[][] batch = [new byte[PileBytes / 2]];
        var pointers = new PilePointer[1];
        Assert.Throws<PileFullException>(() => _pile.PutMany<byte[]>(batch, pointers));
        Assert.Equal(before + 2, PileHealth.Of(_pile).RefusedPutCount);
        _pile.Compact();
        Assert.Equal(before + 2, PileHealth.Of(_pile).RefusedPutCount);
    }

    [Fact]
    public void Threads_that_are_refused_at_once_are_all_counted()
    {
        Fill();
        long before = PileHealth.Of(_pile).RefusedPutCount;
        SideBySide.Rounds([.. Enumerable.Range(0, 4).Select(_ => new SideBySide.Worker(250, _ => Refuse()))]);
        long count = PileHealth.Of(_pile).RefusedPutCount;
        Assert.InRange(count, before + 1_000, long.MaxValue);
        _pile.Dispose();
        long said = _log.Lines.Sum(static line => line.StartsWith("A put", StringComparison.Ordinal) ? 1 : long.Parse(
            line.Split(' ')[0].Replace(",", "", StringComparison.Ordinal), System.Globalization.CultureInfo.InvariantCulture));
        Assert.Equal(count, said);
    }

    private void Refuse() => Assert.Throws<PileFullException>(() => _pile.Put(new byte[PileBytes]));

    private void Fill()
    {
        try
        {
            while (true)
                _pile.Put(new byte[1_000]);
        }
        catch (PileFullException)
        {
            // full
        }
    }
}
