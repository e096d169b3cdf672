using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading;
using MessagePack;
using MessagePack.Formatters;
using MessagePack.Resolvers;

namespace BigPile.MessagePackCSharp.Tests;

/// <summary>An object that was put can be read. One that could not be read is refused at the put, and the former value stays.</summary>
public sealed class ReadableTests
{
    private const int MostDepth = 500; // the library's limit for untrusted data

    [Fact]
    public void A_graph_that_no_read_would_take_is_refused_and_the_former_value_stays()
    {
        using var pile = new Pile(new PileOptions { Codec = new MessagePackCSharpCodec(typeof(Chain)) });
        PilePointer pointer = pile.Put(Chain.Of(1));
        pile.Replace(pointer, Chain.Of(MostDepth));
        Assert.Equal(MostDepth, pile.Get<Chain>(pointer).Length);
        PileSerializationException e =
            Assert.Throws<PileSerializationException>(() => pile.Replace(pointer, Chain.Of(MostDepth + 1)));
        Assert.Contains("is not put, as it could not be read again", e.Message, StringComparison.Ordinal);
        Assert.Equal(MostDepth, pile.Get<Chain>(pointer).Length);
    }

    /// <summary>Without a limit the library would end the process.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_cycle_is_refused_whatever_the_options_trust(bool trusts)
    {
        MessagePackSerializerOptions options = MessagePackSerializerOptions.Standard.WithSecurity(
            trusts ? MessagePackSecurity.TrustedData : MessagePackSecurity.UntrustedData);
        var chain = new Chain();
        chain.Next = chain;
        OnThread(trusts ? 192 << 10 : 4 << 20, () =>
        {
            using var pile = new Pile(new PileOptions { Codec = new MessagePackCSharpCodec(options, typeof(Chain)) });
            Assert.Throws<PileSerializationException>(() => pile.Put(chain));
            Assert.Equal(3, pile.Get<Chain>(pile.Put(Chain.Of(3))).Length);
        });
    }

    [Fact]
    public void A_read_on_a_small_stack_is_refused_and_goes_on_elsewhere()
    {
        var codec = new MessagePackCSharpCodec(typeof(Keyed<object>));
        object nested = 5;
        for (int i = 0; i < 490; i++)
            nested = new object[] { nested };
        byte[] payload = Write(codec, new Keyed<object> { Value = nested });
        OnThread(160 << 10, () =>
        {
            try
            {
                _ = Read(codec, payload);
            }
            catch (PileSerializationException e)
            {
                Assert.IsType<InsufficientExecutionStackException>(e.InnerException!.GetBaseException());
            }
        });
        Assert.IsType<Keyed<object>>(Read(codec, payload));
    }

    [Fact]
    public void Pointers_may_be_keys()
    {
        var codec = new MessagePackCSharpCodec(typeof(HashSet<PilePointer>), typeof(Keyed<Dictionary<PilePointer, int>>));
        using var pile = new Pile(new PileOptions { Codec = codec });
        PilePointer pointer = pile.Put("x");
        Assert.Equal([pointer], pile.Get<HashSet<PilePointer>>(pile.Put(new HashSet<PilePointer> { pointer })));
        var keyed = new Keyed<Dictionary<PilePointer, int>> { Value = new() { [pointer] = 5 } };
        Assert.Equal(5, pile.Get<Keyed<Dictionary<PilePointer, int>>>(pile.Put(keyed)).Value![pointer]);
    }

    [Fact]
    public void Keys_without_a_safe_hash_are_refused_at_the_put_and_taken_where_data_is_trusted()
    {
        var value = new Keyed<Dictionary<(int, int), string>>();
        var codec = new MessagePackCSharpCodec(typeof(Keyed<Dictionary<(int, int), string>>));
        _ = Read(codec, Write(codec, value)); // a null dictionary needs no hash
        value.Value = new() { [(1, 2)] = "a" };
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => Write(codec, value));
        Assert.Contains("hash-resistant", e.Message, StringComparison.Ordinal);
        var trusting = new MessagePackCSharpCodec(MessagePackSerializerOptions.Standard, typeof(Keyed<Dictionary<(int, int), string>>));
        Assert.Equal("a", ((Keyed<Dictionary<(int, int), string>>)Read(trusting, Write(trusting, value))).Value![(1, 2)]);
    }

    /// <summary>For every cause, and also after objects of the type were put.</summary>
    [Fact]
    public void What_a_read_would_refuse_is_refused_each_time()
    {
        MessagePackSerializerOptions options = MessagePackSerializerOptions.Standard.WithCompression(MessagePackCompression.Lz4BlockArray)
            .WithSecurity(MessagePackSecurity.UntrustedData.WithMaximumDecompressedSize(100_000));
        var codec = new MessagePackCSharpCodec(options, typeof(Keyed<object>), typeof(Keyed<Dictionary<string, int>>), typeof(Moody));
        foreach ((object good, object bad) in ((object, object)[])
        [
            (new Keyed<object> { Value = 1 }, new Keyed<object> { Value = new byte[200_000] }),
            (new Keyed<object> { Value = 1 }, new Keyed<object> { Value = new Dictionary<object, int> { [new object[] { 1 }] = 1 } }),
            (new Keyed<Dictionary<string, int>>(),
                new Keyed<Dictionary<string, int>> { Value = new() { ["\ud800"] = 1, ["\ud801"] = 2 } }), // both become U+FFFD
            (new Moody { IsGood = true }, new Moody()),
        ])
        {
            for (int i = 0; i < 2; i++)
            {
                Assert.IsType(good.GetType(), Read(codec, Write(codec, good)));
                Assert.Throws<PileSerializationException>(() => Write(codec, bad));
            }
        }
    }

    /// <summary>For these the library needs no hash, or counts fewer steps than there are formatters.</summary>
    [Fact]
    public void What_a_read_takes_is_put()
    {
        var codec = new MessagePackCSharpCodec(typeof(SortedDictionary<(int, int), int>), typeof(Keyed<object>), typeof(Nest));
        var sorted = new SortedDictionary<(int, int), int> { [(1, 2)] = 3 };
        Assert.Equal(sorted, Read(codec, Write(codec, sorted)));
        _ = Write(codec, new Keyed<object> { Value = new Dictionary<TimeSpan, int> { [TimeSpan.Zero] = 1 } });
        var nest = new Nest();
        for (int i = 0; i < 230; i++)
            nest = new Nest { Inner = [nest] };
        Assert.IsType<Nest>(Read(codec, Write(codec, nest)));
    }

    /// <summary>Whatever requests it: an attribute, one formatter of a resolver, or a formatter of the application's.</summary>
    [Fact]
    public void No_bytes_name_a_type_to_make()
    {
        foreach (MessagePackCSharpCodec codec in (MessagePackCSharpCodec[])
        [
            new(typeof(Loose)), new(ContractlessStandardResolver.Options, typeof(Loose)),
            new(With(new ForceTypelessFormatter<IDisposable>()), typeof(Keyed<IDisposable>)),
            new(With(new ForceTypelessFormatter<object>()), typeof(Keyed<object>)),
        ])
        {
            MessagePackSerializer.Typeless.Serialize(new Unlisted()); // the library caches the types of names
            foreach (object value in (object[])[
                new Loose { Value = new Unlisted() }, new Keyed<IDisposable> { Value = new Unlisted() },
                new Keyed<object> { Value = new Unlisted() }])
            {
                Unlisted.Made = 0;
                Assert.Throws<PileSerializationException>(() => Write(codec, value));
            }
            Assert.Equal(0, Unlisted.Made);
        }
    }

    [Fact]
    public void A_type_is_no_data()
    {
        var codec = new MessagePackCSharpCodec(typeof(Keyed<Type>));
        Assert.Null(((Keyed<Type>)Read(codec, Write(codec, new Keyed<Type>()))).Value);
        PileSerializationException e =
            Assert.Throws<PileSerializationException>(() => Write(codec, new Keyed<Type> { Value = typeof(int) }));
        Assert.Contains("A Type is no data", e.Message, StringComparison.Ordinal);
        byte[] payload = [.. Write(codec, new Keyed<Type>())[..4], 0x93, 5, 0xA3, .. "abc"u8, 0xA1, .. "e"u8];
        e = Assert.Throws<PileSerializationException>(() => Read(codec, payload));
        Assert.Contains("A Type is no data", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_order_of_the_list_means_nothing()
    {
        var first = new MessagePackCSharpCodec(typeof(Inner), typeof(Circle), typeof(Keyed<int>));
        var second = new MessagePackCSharpCodec(typeof(Square), typeof(Keyed<int>), typeof(Circle), typeof(Inner));
        object[] values = [new Inner(1, "a"), new Circle(2), new Keyed<int> { Value = 3 }];
        Assert.All(values, value => Assert.IsType(value.GetType(), Read(second, Write(first, value))));
        var less = new MessagePackCSharpCodec(typeof(Circle));
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => Read(less, Write(first, values[0])));
        Assert.Contains("not in the codec's list", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_renamed_type_is_found_by_its_former_name()
    {
        byte[] number = Write(new MessagePackCSharpCodec(typeof(Inner)), new Inner(1, "a"));
        Assert.Equal("a", ((Renamed)Read(new MessagePackCSharpCodec(typeof(Renamed)), number)).Name);
        byte[] generic = Write(new MessagePackCSharpCodec(typeof(Keyed<int>)), new Keyed<int> { Value = 7 });
        Assert.Equal(7, ((RenamedKeyed<int>)Read(new MessagePackCSharpCodec(typeof(RenamedKeyed<int>)), generic)).Value);
        Assert.Contains(
            "have the same present or former name",
            Assert.Throws<ArgumentException>(() => new MessagePackCSharpCodec(typeof(Inner), typeof(Renamed))).Message);
    }

    private static MessagePackSerializerOptions With(IMessagePackFormatter formatter) => MessagePackSerializerOptions.Standard.WithResolver(
        CompositeResolver.Create([formatter], [ContractlessStandardResolver.Instance]));

    private static byte[] Write(MessagePackCSharpCodec codec, object value)
    {
        var buffer = new PileBuffer();
        codec.Serialize(value, buffer);
        return buffer.WrittenSpan.ToArray();
    }

    private static object Read(MessagePackCSharpCodec codec, byte[] payload)
    {
        var buffer = new PileBuffer();
        buffer.Write(payload);
        return codec.Deserialize(buffer);
    }

    private static void OnThread(int stackBytes, Action work)
    {
        Exception? failure = null;
        var thread = new Thread(
            () =>
            {
                try
                {
                    work();
                }
                catch (Exception e)
                {
                    failure = e;
                }
            },
            stackBytes);
        thread.Start();
        Assert.True(thread.Join(Eventually.Timeout));
        Assert.Null(failure);
    }
}
