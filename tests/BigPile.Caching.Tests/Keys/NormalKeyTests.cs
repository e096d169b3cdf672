using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Keys;

/// <summary>Keys that are equal are one key, whatever their bytes are; and no codec of the application's sees primitive ones.</summary>
public sealed class NormalKeyTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Decimals_of_one_value_are_one_key() =>
        AreOne([1.0m, 1m, 1.00m, 1.0000000000000000000000000000m], [1.01m, -1m, 0m, 79228162514264337593543950335m, 0.1m]);

    [Fact]
    public void Zeros_are_one_key()
    {
        AreOne([0m, 0.00m, new decimal(0, 0, 0, isNegative: true, 2)], [1m]);
        AreOne([0.0, -0.0], [double.Epsilon, -double.Epsilon, double.NaN]);
        AreOne([0f, -0f], [float.Epsilon, -1f]);
        AreOne([(Half)0, (Half)(-0.0)], [Half.Epsilon]);
    }

    [Fact]
    public void All_that_are_no_numbers_are_one_key()
    {
        AreOne([double.NaN, BitConverter.Int64BitsToDouble(0x7FF8_0000_0000_0001), -double.NaN], [0.0, double.PositiveInfinity]);
        AreOne([float.NaN, BitConverter.Int32BitsToSingle(0x7FC0_0001)], [0f]);
    }

    [Fact]
    public void An_instant_is_one_key_in_every_offset()
    {
        var instant = new DateTimeOffset(2026, 3, 29, 1, 30, 0, TimeSpan.Zero);
        AreOne([instant, instant.ToOffset(TimeSpan.FromHours(2)), instant.ToOffset(TimeSpan.FromMinutes(-210))], [instant.AddTicks(1)]);
    }

    [Fact]
    public void What_is_inside_of_other_keys_counts_as_well()
    {
        AreOne([(1.0m, "a"), (1.00m, "a")], [(1m, "b")]);
        AreOne([(1, (double?)0.0), (1, -0.0)], [(1, null)]);
        AreOne([new Price(1.0m, new Place(0.0, 1)), new Price(1.00m, new Place(-0.0, 1))], [new Price(2m, new Place(0, 1))]);
        AreOne<object>([1.0m, 1.00m], [1.0, "1.0", 1]);
        AreOne([new Priced { Price = 1.0m }, new Priced { Price = 1.00m }], [new Priced { Price = 2m }]);
    }

    /// <summary>They would be one key after a restart, or to a removal by them.</summary>
    [Fact]
    public void Names_and_tags_that_are_no_text_are_refused()
    {
        using PileCache cache = TestCache.Open(_directory.Path);
        ArgumentException e = Assert.Throws<ArgumentException>(() => cache.GetOrCreateTable<int, int>("a\uD800"));
        Assert.Contains("table's name", e.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => cache.GetOrCreateTable<int, int>(new TableOptions("\uDC00")));
        Assert.Empty(cache.TableNames);
        CacheTable<string, int> table = cache.GetOrCreateTable<string, int>("\U0001F511");
        Assert.Throws<ArgumentException>(() => table.Put("k", 1, new EntryOptions { Tags = ["\uD800"] }));
        Assert.Throws<ArgumentException>(() => table.RemoveByTag("\uDBFFx"));
        table.Put("\uD800", 1);
        table.Put("\uD801", 2);
        Assert.Equal((1, 2), (table.Get("\uD800"), table.Get("\uD801")));
    }

    /// <summary>They have the same ticks, and are told apart as they always were.</summary>
    [Fact]
    public void Times_of_different_kinds_are_different_keys()
    {
        var time = new DateTime(2026, 1, 1, 12, 0, 0, DateTimeKind.Utc);
        using PileCache cache = TestCache.Make();
        CacheTable<DateTime, int> table = cache.GetOrCreateTable<DateTime, int>("t");
        table.Put(time, 1);
        table.Put(DateTime.SpecifyKind(time, DateTimeKind.Unspecified), 2);
        Assert.Equal((1, 2), (table.Get(time), table.Get(DateTime.SpecifyKind(time, DateTimeKind.Unspecified))));
        Assert.Contains(table.Keys, key => key.Kind == DateTimeKind.Utc);
    }

    [Fact]
    public async Task Equal_keys_have_one_run_of_a_factory()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<decimal, string> table = cache.GetOrCreateTable<decimal, string>("t");
        var made = new TaskCompletionSource<string>();
        Task<string> first = table.GetOrAddAsync(1.0m, (_, _) => new ValueTask<string>(made.Task)).AsTask();
        Task<string> second = table.GetOrAddAsync(1.00m, static (_, _) => throw new InvalidOperationException("Once is enough.")).AsTask();
        made.SetResult("made");
        Assert.Equal(["made", "made"], await Task.WhenAll(first, second));
    }

    [Fact]
    public void A_codec_of_the_application_sees_no_primitive_keys_and_values()
    {
        for (int opening = 0; opening < 2; opening++)
        {
            using Pile pile = Pile.Open(_directory.Path, new PileOptions { SegmentBytes = 4 << 20, Codec = new Refusing() });
            using var cache = new PileCache(pile);
            Pass(1.00m, 1.0m, 2.50m);
            Pass(0.0, -0.0, Math.PI);
            Pass(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.ToOffset(TimeSpan.FromHours(1)), DateTimeOffset.MaxValue);
            Pass(DateTime.UnixEpoch, DateTime.UnixEpoch, DateTime.MaxValue);
            Pass(TimeSpan.Zero, TimeSpan.Zero, TimeSpan.MaxValue);
            Pass(DateOnly.MinValue, DateOnly.MinValue, DateOnly.MaxValue);
            Pass(TimeOnly.MinValue, TimeOnly.MinValue, TimeOnly.MaxValue);
            Pass((short)1, (short)1, short.MinValue);
            Pass(1UL, 1UL, ulong.MaxValue);
            Pass(1L, 1L, long.MinValue);
            Pass(1, 1, int.MinValue);
            Pass('a', 'a', '\uD800');
            Pass(true, true, false);
            Pass(Guid.Empty, Guid.Empty, new Guid(1, 2, 3, new byte[8]));
            Pass((Int128)1, (Int128)1, Int128.MinValue);
            Pass(1f, 1f, float.MinValue);
            CacheTable<DayOfWeek, string> days = cache.GetOrCreateTable<DayOfWeek, string>("days");
            Assert.Throws<PileSerializationException>(() => days.Put(DayOfWeek.Monday, "a"));
            Assert.Equal(5L, pile.Get(pile.Put(5L)));

            void Pass<T>(T key, T same, T other)
                where T : notnull
            {
                CacheTable<T, T> table = cache.GetOrCreateTable<T, T>(typeof(T).Name);
                Assert.Equal(opening != 0, table.TryGet(same, out T? value));
                if (opening != 0)
                    Assert.Equal(other, value);
                table.Put(key, other);
                Assert.Equal(other, table.Get(same));
                Assert.False(table.TryGet(other, out _));
                Assert.Equal(key, Assert.Single(table.Keys));
                PilePointer pointer = table.GetPointer(key);
                Assert.Equal(other, pile.Get<T>(pointer));
            }
        }
    }

    /// <summary>Two that are one in normal form are two by such a comparer.</summary>
    [Fact]
    public void A_comparer_is_asked_for_keys_as_they_are()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<double, int> table = cache.GetOrCreateTable<double, int>(TestCache.Durable(), new Bits());
        for (int i = 0; i < 20; i++)
        {
            table.Put(0.0, 1);
            table.Put(-0.0, 2);
        }
        Assert.Equal((1, 2, 2), (table.Get(0.0), table.Get(-0.0), table.Count));
        Assert.True(table.Remove(-0.0));
        Assert.Equal([0.0], table.Keys);
    }

    [Fact]
    public void A_payload_of_the_application_may_end_like_a_mark()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20, Codec = new Verbatim() });
        byte[] marked = Ends(pile.Put(12345));
        Assert.Equal(12345, pile.Get(pile.Put(12345)));
        Same(marked);
        Same(marked[^8..]);
        Same([.. new byte[100], .. marked[^8..]]);
        byte[] escaped = Ends(pile.Put(new Raw(marked)));
        Assert.NotEqual(marked, escaped);
        Same(escaped);
        Same(escaped[^8..]);
        Same([.. new byte[100], .. escaped[^8..]]);

        void Same(byte[] bytes) => Assert.Equal(bytes, ((Raw)pile.Get(pile.Put(new Raw(bytes)))!).Bytes);

        byte[] Ends(PilePointer pointer)
        {
            using PileLease lease = pile.Lease(pointer);
            return lease.Span.ToArray();
        }
    }

    private static void AreOne<TKey>(TKey[] equal, TKey[] others)
        where TKey : notnull
    {
        Assert.All(equal, key => Assert.Equal(equal[0], key));
        using var directory = new TemporaryDirectory();
        for (int opening = 0; opening < 2; opening++)
        {
            using PileCache cache = TestCache.Open(directory.Path);
            CacheTable<TKey, int> table = cache.GetOrCreateTable<TKey, int>("t");
            for (int i = 0; i < equal.Length; i++)
            {
                Assert.Equal(opening == 0 && i == 0 ? PutResult.Inserted : PutResult.Replaced, table.Put(equal[i], i));
                Assert.All(equal, key => Assert.Equal(i, table.Get(key)));
            }
            if (opening == 0)
                Assert.All(others, key => Assert.Equal(PutResult.Inserted, table.Put(key, -1)));
            Assert.Equal(1 + others.Length, table.Count);
            Assert.Equal(equal[..1].Concat(others).ToHashSet(), table.Keys.ToHashSet());
            Assert.True(table.Remove(equal[^1]));
            Assert.False(table.TryGet(equal[0], out _));
            table.Put(equal[^1], 7);
        }
    }

    public sealed record Price(decimal Amount, Place Place);

    public readonly record struct Place(double X, float Y);

    [System.Runtime.Serialization.DataContract]
    public sealed record Priced
    {
        [System.Runtime.Serialization.DataMember(Order = 0)]
        public decimal Price { get; init; }
    }

    private sealed record Raw(byte[] Bytes);

    private sealed class Verbatim : IPileCodec
    {
        public void Serialize(object value, PileBuffer destination)
        {
            byte[] bytes = ((Raw)value).Bytes;
            bytes.CopyTo(destination.GetSpan(bytes.Length));
            destination.Advance(bytes.Length);
        }

        public object Deserialize(PileBuffer source) => new Raw(source.WrittenSpan.ToArray());
    }

    private sealed class Bits : IEqualityComparer<double>
    {
        public bool Equals(double x, double y) => BitConverter.DoubleToInt64Bits(x) == BitConverter.DoubleToInt64Bits(y);

        public int GetHashCode(double obj) => 1;
    }

    private sealed class Refusing : IPileCodec
    {
        public void Serialize(object value, PileBuffer destination) => throw new PileSerializationException($"{value.GetType()} came.");

        public object Deserialize(PileBuffer source) => throw new PileSerializationException("A payload came.");
    }
}
