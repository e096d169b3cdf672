using System;
using System.Globalization;
using BigPile.Caching;

namespace BigPile.Perf.Soaking;

/// <summary>A table at its limit with expiring entries and keys shared by all workers: each entry found is whole and not too old.</summary>
internal sealed class LimitedKeys(SoakPlace place, SoakTally tally, Random dice, TimeProvider time) : ISoakPart
{
    private const double ShortestSeconds = 2;

    // A worker may be suspended between reading the table and reading the clock.
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(5);

    private readonly CacheTable<string, byte[]> _table = place.Limited;
    private readonly int _keys = place.Budget.LimitedKeys;
    private readonly byte[] _scratch = new byte[SoakSizes.MaxBytes];
    private ushort _version;

    public void Fill()
    {
        for (int i = 0; i < _keys / place.Options.Threads && !place.IsOver; i++)
            Put(dice.Next(_keys));
    }

    public void Step()
    {
        int number = dice.Next(_keys);
        int draw = dice.Next(25);
        if (draw == 0)
            Remove(number);
        else if (draw < 11)
            Put(number);
        else
            Get(number);
    }

    public void Check()
    {
        for (int i = 0; i < _keys; i++)
            Get(i);
    }

    public void Clear()
    {
        // all goes with the table
    }

    private void Get(int number)
    {
        tally.Count(SoakKind.TableGet);
        string key = KeyOf(number);
        if (_table.TryRead(key, _scratch, out EntryInfo info) && WhyNot(number, info) is { } why)
            place.Errors.Report($"key {key} of the table '{_table.Name}': {why}");
    }

    private string? WhyNot(int number, EntryInfo info)
    {
        if (SoakValue.WhyNot(_scratch.AsSpan(0, info.ValueBytes), IdOf(number), out _) is { } why)
            return why;
        DateTimeOffset now = time.GetUtcNow();
        if (info.ExpiresAt is not { } end || now - end > Slack)
            return $"is there, and its time was over at {info.ExpiresAt:O}";
        return now - info.PutAt <= SoakPlace.LongestAge + Slack ? null : $"is there, and was put at {info.PutAt:O}";
    }

    private void Put(int number)
    {
        tally.Count(SoakKind.TablePut);
        Span<byte> value = _scratch.AsSpan(0, SoakSizes.NextOfTable(dice));
        SoakValue.Write(value, IdOf(number), ++_version);
        _table.PutBytes(KeyOf(number), value, DrawLifetime(), out _);
    }

    private void Remove(int number)
    {
        tally.Count(SoakKind.TableRemove);
        _table.Remove(KeyOf(number));
    }

    // Ages are spread evenly over powers of two; some entries live as long as they are used.
    private EntryOptions? DrawLifetime()
    {
        double seconds = ShortestSeconds * Math.Pow(SoakPlace.LongestAge.TotalSeconds / ShortestSeconds, dice.NextDouble());
        TimeSpan time = TimeSpan.FromSeconds(seconds);
        return dice.Next(4) switch
        {
            0 => null,
            1 => new EntryOptions { MaxAge = SoakPlace.LongestAge, Sliding = time },
            _ => new EntryOptions { MaxAge = time },
        };
    }

    private static string KeyOf(int number) => string.Create(CultureInfo.InvariantCulture, $"item:{number}");

    private static uint IdOf(int number) => SoakId.Of(SoakRegion.Limited, 0, number);
}
