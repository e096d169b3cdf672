using System.Collections.Generic;

namespace BigPile.Caching.Tests.Factories;

/// <summary>What a read gives of a value, and that it puts none.</summary>
public sealed class ReadValueTests : FailSafeTest
{
    [Fact]
    public void A_read_tells_a_miss_from_a_value_and_puts_nothing()
    {
        for (int i = 0; i < 2; i++)
        {
            Assert.False(Table.TryGet("a", out string? none));
            Assert.Null(none);
            Assert.Throws<KeyNotFoundException>(() => Table.Get("a"));
        }
        Assert.Equal(0, Table.Count);
        Assert.Equal("made", Table.GetOrAdd("a", _ => "made"));
        Assert.True(Table.TryGet("a", out string? value));
        Assert.Equal(("made", 1), (value, Table.Count));
    }

    [Fact]
    public void What_was_put_as_an_object_is_read_as_its_type()
    {
        CacheTable<string, object> objects = Cache.GetOrCreateTable<string, object>("any");
        objects.Put("number", 42);
        objects.Put("box", new Box { Number = 7 });
        Assert.Equal(42, Cache.GetOrCreateTable<string, int>("any").Get("number"));
        Assert.Equal(7, Cache.GetOrCreateTable<string, Box>("any").Get("box").Number);
        Assert.Equal(42, objects.Get("number"));
    }

    [Fact]
    public void A_change_of_an_object_changes_no_other_read()
    {
        CacheTable<string, Box> boxes = Cache.GetOrCreateTable<string, Box>("boxes");
        var put = new Box { Number = -1 };
        boxes.Put("a", put);
        put.Number = 0;
        var read = new List<Box>();
        for (int number = 1; number <= 3; number++)
        {
            Box box = boxes.GetOrAdd("a", _ => new Box());
            Assert.Equal(-1, box.Number);
            box.Number = number;
            Assert.DoesNotContain(box, read);
            read.Add(box);
        }
        Assert.Equal((0, -1), (put.Number, boxes.Get("a").Number));
        Assert.Equal([1, 2, 3], read.ConvertAll(static box => box.Number));
    }

    [Fact]
    public void An_object_that_nobody_can_change_is_a_new_one_each_time_too()
    {
        CacheTable<string, Fixed> table = Cache.GetOrCreateTable<string, Fixed>("fixed");
        var put = new Fixed("a", 123);
        table.Put("a", put);
        (Fixed first, Fixed second) = (table.Get("a"), table.Get("a"));
        Assert.Equal((put, put), (first, second));
        Assert.NotSame(put, first);
        Assert.NotSame(first, second);
    }

    private sealed class Box
    {
        public int Number { get; set; }
    }

    private sealed record Fixed(string Name, int Age);
}
