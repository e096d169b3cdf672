using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>Tags of values that factories made.</summary>
public sealed class TaggedValueTests : FailSafeTest
{
    private string Get(string key, string value, params string[] tags) =>
        Table.GetOrAdd(key, _ => value, new EntryOptions { Tags = tags });

    private string Values(params string[] keys) =>
        string.Join(' ', keys.Select(key => Table.TryGet(key, out string? value) ? value : "-"));

    [Fact]
    public void A_tag_removes_what_has_it_whether_put_or_made()
    {
        Table.Put("a", "1", new EntryOptions { Tags = ["x", "y"] });
        Table.Put("b", "2", new EntryOptions { Tags = ["y", "z"] });
        Assert.Equal("3", Table.GetOrAdd("c", (_, context) =>
        {
            context.Options = new EntryOptions { Tags = ["x", "z"] };
            return "3";
        }));
        Assert.Equal(("1", "2", "3"), (Get("a", "11"), Get("b", "22"), Get("c", "33")));
        Table.RemoveByTag("x");
        Assert.Equal("- 2 -", Values("a", "b", "c"));
        Assert.Equal(("2", "333"), (Get("b", "222", "y", "z"), Get("c", "333", "x", "z")));
        Table.RemoveByTag("y");
        Assert.Equal(("1111", "2222", "333"), (Get("a", "1111", "x"), Get("b", "2222", "y"), Get("c", "3333", "z")));
    }

    /// <summary>The tag is one of the value that it replaces alone.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_was_made_before_a_tag_of_the_stale_value_was_removed_is_not_kept(bool isNotModified)
    {
        Table.Put("a", "old", Kept with { Tags = ["x"] });
        Time.Advance(Life);
        var release = new TaskCompletionSource<string>();
        Task<string> call = Table.GetOrAddAsync("a", async (_, context, _) =>
        {
            string made = isNotModified ? context.NotModified() : "older";
            context.IsKept = !isNotModified;
            await release.Task;
            return made;
        }, Kept).AsTask();
        Table.RemoveByTag("x");
        Task<string> later = Table.GetOrAddAsync("a", static (_, _) => new ValueTask<string>("new"), Kept).AsTask();
        Assert.Equal("new", await later.WaitAsync(Eventually.Timeout));
        release.SetResult("");
        Assert.Equal(isNotModified ? "old" : "older", await call);
        Assert.Equal("new", Table.Get("a"));
    }

    [Fact]
    public void One_tag_after_another_is_removed_and_unknown_ones_harm_nothing()
    {
        _ = (Get("a", "1", "x", "y"), Get("b", "2", "y"), Get("c", "3", "z"));
        foreach (string tag in new[] { "x", "z" })
            Table.RemoveByTag(tag);
        Assert.Equal("- 2 -", Values("a", "b", "c"));
        foreach (string tag in new[] { "unknown", "y" })
            Table.RemoveByTag(tag);
        Assert.Equal("- - -", Values("a", "b", "c"));
    }

    [Fact]
    public void A_value_that_is_made_anew_has_the_tags_of_that_time()
    {
        Assert.Equal("1", Get("a", "1", "t1", "t2"));
        Table.RemoveByTag("t1");
        Assert.Equal("2", Get("a", "2", "t1", "t2", "t3"));
        Table.RemoveByTag("t3");
        Assert.Equal("3", Get("a", "3", "t1"));
        Table.RemoveByTag("t2");
        Assert.Equal("3", Get("a", "4"));
        RemoveAll();
        Assert.Equal("5", Get("a", "5"));
        RemoveAll();
        Assert.Equal("5", Table.Get("a"));

        void RemoveAll()
        {
            foreach (string tag in new[] { "t1", "t2", "t3", "t4" })
                Table.RemoveByTag(tag);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Of_a_live_entry_that_is_removed_nothing_stale_is_left(bool isCleared)
    {
        Table.Put("a", "1", Kept with { Tags = ["x", "y"] });
        Table.Put("b", "2", Kept with { Tags = ["y", "z"] });
        if (isCleared)
            Table.Clear();
        else
            Table.RemoveByTag("x");
        Assert.Equal(isCleared ? "- -" : "- 2", Values("a", "b"));
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, Kept));
        Assert.Equal(isCleared ? "made" : "2", Table.GetOrAdd("b", _ => "made", Kept));
    }
}
