using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching;
using MessagePack;
using MessagePack.Resolvers;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace BigPile.MessagePackCSharp.Tests;

/// <summary>The codec in every API that takes one, and with each kind of the library's options.</summary>
public sealed class CodecUsageTests : IDisposable
{
    private const int Count = 1_000;

    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<string> Options => [.. OptionsByName.Keys];

    private static Dictionary<string, MessagePackSerializerOptions> OptionsByName { get; } = new()
    {
        ["standard"] = MessagePackSerializerOptions.Standard,
        ["block"] = MessagePackSerializerOptions.Standard.WithCompression(MessagePackCompression.Lz4Block),
        ["blocks"] = MessagePackSerializerOptions.Standard.WithCompression(MessagePackCompression.Lz4BlockArray),
        ["contractless"] = ContractlessStandardResolver.Options,
    };

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Options))]
    public async Task Tables_have_their_objects_after_a_restart_and_a_compaction(string options)
    {
        var codec = new MessagePackCSharpCodec(OptionsByName[options], Types());
        using (PileCache cache = OpenCache(codec))
        {
            CacheTable<int, Keyed<List<Inner>>> table = cache.GetOrCreateTable<int, Keyed<List<Inner>>>("t");
            for (int i = 0; i < Count; i++)
                table.Put(i, ValueOf(i));
            for (int i = 0; i < Count; i += 2)
                Assert.True(table.Remove(i));
            cache.Pile.Compact();
            for (int i = 1; i < Count; i += 2)
                Check(table.Get(i)!, i);
        }
        using PileCache again = OpenCache(codec);
        await again.Readiness.Completion;
        CacheTable<int, Keyed<List<Inner>>> found = again.GetOrCreateTable<int, Keyed<List<Inner>>>("t");
        Assert.Equal(Count / 2, found.Count);
        for (int i = 1; i < Count; i += 2)
            Check(found.Get(i)!, i);
    }

    [Theory]
    [MemberData(nameof(Options))]
    public void Who_only_reads_gets_what_another_one_has_written(string options)
    {
        PilePointer pointer;
        using (Pile writer = OpenPile(new MessagePackCSharpCodec(OptionsByName[options], Types())))
        {
            pointer = writer.Put(ValueOf(7));
            using var reader = new Pile(new PileOptions
            {
                Directory = _directory.Pile,
                ReadOnly = true,
                Codec = new MessagePackCSharpCodec(OptionsByName[options], Types()),
            });
            Check(reader.Get<Keyed<List<Inner>>>(pointer), 7);
        }
        using Pile again = OpenPile(new MessagePackCSharpCodec(OptionsByName[options], Types()));
        Check(again.Get<Keyed<List<Inner>>>(pointer), 7);
    }

    [Fact]
    public async Task A_host_has_the_codec_of_its_options()
    {
        for (int start = 0; start < 2; start++)
        {
            HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
            builder.Services.AddBigPile(pile =>
            {
                pile.Directory = _directory.Pile;
                pile.Codec = new MessagePackCSharpCodec(Types());
            });
            using IHost host = builder.Build();
            await host.StartAsync();
            CacheTable<string, Inner> table =
                host.Services.GetRequiredService<PileCache>().GetOrCreateTable<string, Inner>("t");
            if (start == 0)
                table.Put("k", new Inner(1, "hosted"));
            Assert.Equal(new Inner(1, "hosted"), table.Get("k"));
            await host.StopAsync();
        }
    }

    [Fact]
    public void Objects_refer_to_each_other_by_pointers()
    {
        using Pile pile = OpenPile(new MessagePackCSharpCodec(Types()));
        PilePointer target = pile.Put(new Inner(1, "target"));
        var holder = pile.Get<Keyed<PilePointer>>(pile.Put(new Keyed<PilePointer> { Value = target }));
        Assert.Equal(target, holder.Value);
        Assert.Equal(new Inner(1, "target"), pile.Get<Inner>(holder.Value));
    }

    [Fact]
    public void Unions_come_back_as_what_they_are()
    {
        using Pile pile = OpenPile(new MessagePackCSharpCodec(Types()));
        var shapes = pile.Get<Keyed<IShape[]>>(pile.Put(new Keyed<IShape[]> { Value = [new Circle(1.5), new Square(2)] }));
        Assert.Equal([new Circle(1.5), new Square(2)], shapes.Value!);
    }

    [Fact]
    public void A_contractless_resolver_takes_classes_without_attributes()
    {
        using Pile pile = OpenPile(new MessagePackCSharpCodec(ContractlessStandardResolver.Options, typeof(Bare)));
        Assert.Equal(5, pile.Get<Bare>(pile.Put(new Bare { Id = 5 })).Id);
    }

    [Fact]
    public void Threads_share_a_codec()
    {
        using Pile pile = OpenPile(new MessagePackCSharpCodec(OptionsByName["blocks"], Types()));
        Parallel.For(0, 4, new ParallelOptions { MaxDegreeOfParallelism = 4 }, thread =>
        {
            var values = Enumerable.Range(thread * Count, Count).ToDictionary(i => pile.Put(ValueOf(i)));
            foreach ((PilePointer pointer, int i) in values)
                Check(pile.Get<Keyed<List<Inner>>>(pointer), i);
        });
    }

    private static Type[] Types() => [typeof(Keyed<List<Inner>>), typeof(Inner), typeof(Keyed<PilePointer>), typeof(Keyed<IShape[]>)];

    private static Keyed<List<Inner>> ValueOf(int i) =>
        new() { Before = i, Value = [new Inner(i, new string('x', i % 100)), new Inner(-i, "")] };

    private static void Check(Keyed<List<Inner>> found, int i)
    {
        Assert.Equal((i, "end"), (found.Before, found.After));
        Assert.Equal(ValueOf(i).Value!, found.Value!);
    }

    private Pile OpenPile(IPileCodec codec) => Pile.Open(_directory.Pile, new PileOptions { SegmentBytes = 4 << 20, Codec = codec });

    private PileCache OpenCache(IPileCodec codec) => new(
        OpenPile(codec),
        new PileCacheOptions { OwnsPile = true, DefaultTableOptions = new TableOptions("*") { CollisionMode = CollisionMode.Durable } });
}
