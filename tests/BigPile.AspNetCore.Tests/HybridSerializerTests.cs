using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hybrid;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.AspNetCore.Tests;

/// <summary>Values of every kind come back from the table, and by way of the second level in another process's cache.</summary>
public sealed class HybridSerializerTests : HybridCacheTest
{
    [Theory]
    [InlineData("")]
    [InlineData("text")]
    [InlineData("schön \U0001F600")]
    [InlineData("lone \ud800 surrogate")]
    public Task Text_comes_back(string value) => RoundTripAsync(value, Assert.Equal);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(5000)]
    public Task Bytes_come_back(int size) => RoundTripAsync(Shapes.Bytes(size), Assert.Equal);

    [Fact]
    public async Task Numbers_and_times_come_back()
    {
        await RoundTripAsync(42, Assert.Equal);
        await RoundTripAsync(42.5m, Assert.Equal);
        await RoundTripAsync<long?>(null, static (expected, actual) => Assert.Equal(expected, actual));
        await RoundTripAsync(DayOfWeek.Friday, Assert.Equal);
        await RoundTripAsync(new DateTimeOffset(2030, 1, 2, 3, 4, 5, TimeSpan.FromHours(2)), Assert.Equal);
    }

    [Fact]
    public Task A_list_of_tuples_comes_back() =>
        RoundTripAsync<List<(int, string)>>([(1, "one"), (2, "two")], Assert.Equal);

    [Fact]
    public Task An_array_of_tuples_comes_back() => RoundTripAsync<(int, string)[]>([(1, "one"), (2, "two")], Assert.Equal);

    [Fact]
    public Task A_list_of_named_tuples_comes_back() =>
        RoundTripAsync<List<(int Number, string Name)>>([(1, "one"), (2, "two")], Assert.Equal);

    [Fact]
    public Task An_object_with_fields_comes_back() => RoundTripAsync(new FieldPoco { X = 4, Y = "four" }, static (expected, actual) =>
    {
        Assert.Equal(expected.X, actual.X);
        Assert.Equal(expected.Y, actual.Y);
    });

    [Fact]
    public Task An_object_with_properties_comes_back() =>
        RoundTripAsync(new Poco { Number = 4, Text = "four" }, static (expected, actual) =>
    {
        Assert.Equal(expected.Number, actual.Number);
        Assert.Equal(expected.Text, actual.Text);
    });

    [Fact]
    public Task An_object_with_fields_and_properties_comes_back() =>
        RoundTripAsync(new MixedPoco { X = 4, Y = "four" }, static (expected, actual) =>
    {
        Assert.Equal(expected.X, actual.X);
        Assert.Equal(expected.Y, actual.Y);
    });

    [Fact]
    public Task A_tree_with_ways_back_comes_back()
    {
        var root = new Tree { Name = "root" };
        root.Children.Add(new Tree { Name = "left", Parent = root });
        root.Children.Add(new Tree { Name = "right", Parent = root });
        return RoundTripAsync(root, static (_, actual) =>
        {
            Assert.Equal(["left", "right"], actual.Children.ConvertAll(static child => child.Name));
            Assert.All(actual.Children, child => Assert.Same(actual, child.Parent));
        });
    }

    [Fact]
    public Task A_dictionary_comes_back() =>
        RoundTripAsync(
            new Dictionary<string, Poco> { ["a"] = new() { Number = 1 }, ["b"] = new() { Number = 2 } }, static (expected, actual) =>
        {
            Assert.Equal(expected.Keys, actual.Keys);
            Assert.Equal(2, actual["b"].Number);
        });

    [Fact]
    public Task An_object_behind_an_interface_comes_back() =>
        RoundTripAsync<IReadOnlyList<object>>(new object[] { 1, "two", new Poco { Number = 3 } }, static (_, actual) =>
        {
            Assert.Equal(1, actual[0]);
            Assert.Equal("two", actual[1]);
            Assert.Equal(3, Assert.IsType<Poco>(actual[2]).Number);
        });

    [Fact]
    public async Task Processes_that_met_their_types_in_another_order_read_each_other()
    {
        var second = new RecordedLevel();
        PileHybridCache one = Make(second);
        PileHybridCache other = Make(second);
        await one.SetAsync<object>("poco", new Poco { Number = 1 });
        await other.SetAsync<object>("field", new FieldPoco { X = 2 });
        await one.SetAsync<object>("field too", new FieldPoco { X = 3 });
        await other.SetAsync<object>("poco too", new Poco { Number = 4 });
        foreach (PileHybridCache cache in new[] { one, other, Make(second) })
        {
            Assert.Equal(1, Assert.IsType<Poco>(await PeekAsync<object>(cache, "poco")).Number);
            Assert.Equal(2, Assert.IsType<FieldPoco>(await PeekAsync<object>(cache, "field")).X);
            Assert.Equal(3, Assert.IsType<FieldPoco>(await PeekAsync<object>(cache, "field too")).X);
            Assert.Equal(4, Assert.IsType<Poco>(await PeekAsync<object>(cache, "poco too")).Number);
        }
    }

    [Fact]
    public void A_serializer_for_the_type_comes_first_and_then_the_factory_that_was_added_last()
    {
        using var pile = new Pile();
        var services = new ServiceCollection();
        services.AddSingleton<IHybridCacheSerializerFactory>(new Factory("first", takesAll: true));
        services.AddSingleton<IHybridCacheSerializerFactory>(new Factory("last", takesAll: false));
        services.AddSingleton<IHybridCacheSerializer<FieldPoco>>(new Named<FieldPoco>("own"));
        using ServiceProvider provider = services.BuildServiceProvider();
        var formats = new ValueFormats(provider, new BufferPool(), new CacheWarnings(NullLogger.Instance));
        Assert.Equal("own", NameOf<FieldPoco>());
        Assert.Equal("last", NameOf<Poco>());
        Assert.Equal("first", NameOf<MixedPoco>());
        Assert.IsType<CodecFormat<string>>(formats.Of<string>(pile));
        Assert.IsType<CodecFormat<byte[]>>(formats.Of<byte[]>(pile));

        string NameOf<T>()
            where T : new()
        {
            var buffer = new PileBuffer();
            ValueFormat<T> format = formats.Of<T>(pile);
            Assert.IsType<SerializerFormat<T>>(format);
            format.Encode(new T(), buffer);
            return Encoding.UTF8.GetString(buffer.WrittenSpan);
        }
    }

    private async Task RoundTripAsync<T>(T value, Action<T, T> assertEqual)
    {
        var second = new RecordedBufferLevel();
        PileHybridCache writer = Make(second);
        await writer.SetAsync("k", value);
        Assert.Empty(second.TakeAsked().AsSpan(1).ToArray());
        T local = await GetAsync(writer, "k", default(T)!);
        Assert.Empty(second.TakeAsked());
        assertEqual(value, local);
        T distant = await GetAsync(Make(second), "k", default(T)!);
        assertEqual(value, distant);
        Assert.Equal(["get k"], second.TakeAsked());
        Assert.Equal(0, Made);
    }

    private sealed class Named<T>(string name) : IHybridCacheSerializer<T>
    {
        public T Deserialize(ReadOnlySequence<byte> source) => throw new NotSupportedException();

        public void Serialize(T value, IBufferWriter<byte> target) => target.Write(Encoding.UTF8.GetBytes(name));
    }

    private sealed class Factory(string name, bool takesAll) : IHybridCacheSerializerFactory
    {
        public bool TryCreateSerializer<T>([NotNullWhen(true)] out IHybridCacheSerializer<T>? serializer)
        {
            serializer = takesAll || typeof(T) == typeof(Poco) ? new Named<T>(name) : null;
            return serializer != null;
        }
    }
}
