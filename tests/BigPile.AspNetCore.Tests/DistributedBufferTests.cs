using System;
using System.Buffers;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.Extensions.Caching.Distributed;

namespace BigPile.AspNetCore.Tests;

/// <summary>Bytes go in and come out in every shape and size, until their time is over.</summary>
public sealed class DistributedBufferTests : DistributedCacheTest
{
    private static readonly int[] Sizes = [0, 128, 1024, 16384];

    public static TheoryData<int, bool> SizesAndCalls
    {
        get
        {
            var data = new TheoryData<int, bool>();
            foreach (int size in Sizes)
            {
                data.Add(size, false);
                data.Add(size, true);
            }
            return data;
        }
    }

    public static TheoryData<int, Shape, bool> SizesShapesAndCalls
    {
        get
        {
            var data = new TheoryData<int, Shape, bool>();
            foreach (int size in Sizes)
            {
                foreach (Shape shape in Enum.GetValues<Shape>())
                {
                    data.Add(size, shape, false);
                    data.Add(size, shape, true);
                }
            }
            return data;
        }
    }

    private static DistributedCacheEntryOptions FiveMinutes => new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(5) };

    [Theory]
    [MemberData(nameof(SizesAndCalls))]
    public async Task An_array_comes_back_until_its_time_is_over(int size, bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        byte[] value = Shapes.Bytes(size);
        await calls.RemoveAsync("k");
        Assert.Null(await calls.GetAsync("k"));
        await calls.SetAsync("k", value, FiveMinutes);
        Assert.Equal(value, await calls.GetAsync("k"));
        Time.Advance(TimeSpan.FromMinutes(4));
        Assert.Equal(value, await calls.GetAsync("k"));
        Time.Advance(TimeSpan.FromMinutes(2));
        Assert.Null(await calls.GetAsync("k"));
    }

    [Theory]
    [MemberData(nameof(SizesShapesAndCalls))]
    public async Task A_sequence_comes_back_until_its_time_is_over_and_then_nothing_is_written(int size, Shape shape, bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        byte[] value = Shapes.Bytes(size);
        var missing = new ArrayBufferWriter<byte>();
        await calls.RemoveAsync("k");
        Assert.False(await calls.TryGetAsync("k", missing));
        await calls.SetAsync("k", Shapes.Of(value, shape), FiveMinutes);
        foreach (int minutes in new[] { 0, 4 })
        {
            Time.Advance(TimeSpan.FromMinutes(minutes));
            var found = new ArrayBufferWriter<byte>();
            Assert.True(await calls.TryGetAsync("k", found));
            Assert.Equal(value, found.WrittenSpan.ToArray());
        }
        Time.Advance(TimeSpan.FromMinutes(2));
        Assert.False(await calls.TryGetAsync("k", missing));
        Assert.Equal(0, missing.WrittenCount);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Arrays_and_sequences_are_read_by_either(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        byte[] value = Shapes.Bytes(300);
        await calls.SetAsync("sequence", Shapes.Of(value, Shape.ManySegments));
        Assert.Equal(value, await calls.GetAsync("sequence"));
        await calls.SetAsync("array", value);
        var found = new ArrayBufferWriter<byte>();
        Assert.True(await calls.TryGetAsync("array", found));
        Assert.Equal(value, found.WrittenSpan.ToArray());
    }
}
