using System;
using System.Buffers;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.IO.Compression;
using System.Text;

namespace BigPile.Caching.Tests.Golden;

/// <summary>
/// Makes piles whose keys have equal ones of other bytes, one with the pile's codec and one with an application's, and knows what is in
/// them.
/// </summary>
internal static class GoldenKeys
{
    internal const string PilesCodec = "codec";
    internal const string OwnCodec = "own-codec";

    private const string Value = "of ";

    private static readonly Guid Boot = new("00000000-0000-0000-0000-00000000001f");

    /// <summary>Earlier versions stored the list that the compiler makes of it, by the compiler's name.</summary>
    private static IReadOnlyList<string> Expression => ["a", "b", "c"];

    internal static void Make(string kind, string workDirectory, string zipPath)
    {
        string pilePath = Path.Combine(workDirectory, "pile");
        using (PileCache cache = Open(kind, pilePath))
        {
            Fill(cache, "numbers", Decimals);
            Fill(cache, "floats", Doubles);
            Fill(cache, "instants", Instants);
            Fill(cache, "tuples", Tuples);
            Fill(cache, "days", Days);
            cache.GetOrCreateTable<int, long>("longs").Put(1, 1L << 40);
            cache.GetOrCreateTable<int, decimal>("prices").Put(1, 9.90m);
            if (kind == PilesCodec)
                cache.GetOrCreateTable<int, IReadOnlyList<string>>("lists").Put(1, Expression);
        }
        ZipFile.CreateFromDirectory(pilePath, zipPath, CompressionLevel.SmallestSize, includeBaseDirectory: false);
    }

    internal static PileCache Open(string kind, string directory) => new(
        Pile.Open(directory, new PileOptions
        {
            SegmentBytes = 4 << 20, BootId = Boot, Codec = kind == OwnCodec ? new TextCodec() : null,
        }),
        new PileCacheOptions
        {
            OwnsPile = true, SweepPeriod = default, WaitsUntilReady = true, DefaultTableOptions = TestCache.AllDurable,
        });

    /// <summary>Everything is found by the keys by which it was put, also by those that are equal, and others can be put.</summary>
    internal static void Check(PileCache cache, string kind)
    {
        Check(cache, "numbers", Decimals);
        Check(cache, "floats", Doubles);
        Check(cache, "instants", Instants);
        Check(cache, "tuples", Tuples);
        Check(cache, "days", Days);
        Assert.Equal(1L << 40, cache.GetOrCreateTable<int, long>("longs").Get(1));
        Assert.Equal("9.90", cache.GetOrCreateTable<int, decimal>("prices").Get(1).ToString(CultureInfo.InvariantCulture));
        if (kind == PilesCodec)
            Assert.Equal(Expression, cache.GetOrCreateTable<int, IReadOnlyList<string>>("lists").Get(1));
    }

    internal static decimal[] Decimals => [1.00m, 1.0m, 2.5m, 0m, -3.10m];

    internal static double[] Doubles => [1.5, 0.0, -0.0, double.NaN];

    internal static DateTimeOffset[] Instants =>
    [
        new(2026, 1, 1, 12, 0, 0, TimeSpan.FromHours(2)), new(2026, 1, 1, 10, 0, 0, TimeSpan.Zero),
        new(2026, 1, 2, 12, 0, 0, TimeSpan.FromHours(-5)),
    ];

    internal static (decimal Price, string Name)[] Tuples => [(1.00m, "a"), (1.0m, "a"), (2m, "b")];

    private static DayOfWeek[] Days => [DayOfWeek.Monday, DayOfWeek.Friday];

    private static void Fill<TKey>(PileCache cache, string name, TKey[] keys)
        where TKey : notnull
    {
        CacheTable<TKey, string> table = cache.GetOrCreateTable<TKey, string>(name);
        for (int i = 0; i < keys.Length; i++)
            table.Put(keys[i], Value + i);
    }

    // Of keys that are equal the last one's value is right, where it is right that they are one.
    private static void Check<TKey>(PileCache cache, string name, TKey[] keys)
        where TKey : notnull
    {
        CacheTable<TKey, string> table = cache.GetOrCreateTable<TKey, string>(name);
        bool areApart = table.Count == keys.Length;
        for (int i = 0; i < keys.Length; i++)
        {
            int wanted = areApart ? i : Array.FindLastIndex(keys, key => EqualityComparer<TKey>.Default.Equals(key, keys[i]));
            Assert.Equal(Value + wanted, table.Get(keys[i]));
        }
        Assert.Equal(PutResult.Replaced, table.Put(keys[0], "again"));
        Assert.True(table.Remove(keys[0]));
        Assert.False(table.TryGet(keys[0], out _));
    }

    /// <summary>Writes all by itself, as texts.</summary>
    private sealed class TextCodec : IPileCodec
    {
        public string Name => "golden text";

        public void Serialize(object value, PileBuffer destination) => destination.Write(Encoding.UTF8.GetBytes(value switch
        {
            decimal number => "m" + number.ToString(CultureInfo.InvariantCulture),
            double number => "d" + BitConverter.DoubleToInt64Bits(number).ToString(CultureInfo.InvariantCulture),
            DateTimeOffset instant => "o" + instant.ToString("O", CultureInfo.InvariantCulture),
            ValueTuple<decimal, string> tuple => "t" + tuple.Item1.ToString(CultureInfo.InvariantCulture) + ";" + tuple.Item2,
            DayOfWeek day => "w" + (int)day,
            long number => "l" + number.ToString(CultureInfo.InvariantCulture),
            _ => throw new PileSerializationException($"{value.GetType()} is not known."),
        }));

        public object Deserialize(PileBuffer source)
        {
            string text = Encoding.UTF8.GetString(source.WrittenSpan);
            string rest = text[1..];
            return text[0] switch
            {
                'm' => decimal.Parse(rest, CultureInfo.InvariantCulture),
                'd' => BitConverter.Int64BitsToDouble(long.Parse(rest, CultureInfo.InvariantCulture)),
                'o' => DateTimeOffset.ParseExact(rest, "O", CultureInfo.InvariantCulture),
                't' => (decimal.Parse(rest.Split(';')[0], CultureInfo.InvariantCulture), rest.Split(';')[1]),
                'w' => (DayOfWeek)int.Parse(rest, CultureInfo.InvariantCulture),
                'l' => (object)long.Parse(rest, CultureInfo.InvariantCulture),
                _ => throw new PileSerializationException("Not a text of this codec."),
            };
        }
    }
}
