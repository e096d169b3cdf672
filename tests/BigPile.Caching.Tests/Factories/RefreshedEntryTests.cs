using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>What becomes of an entry that is refreshed, and of the call that began it.</summary>
public sealed class RefreshedEntryTests : FailSafeTest
{
    private static readonly EntryOptions Eager = new() { MaxAge = Life, EagerRefresh = 0.8 };

    [Fact]
    public void It_lives_a_whole_life_and_is_then_made_anew()
    {
        int runs = 0;
        string Get() => Table.GetOrAdd("a", _ => $"made {Interlocked.Increment(ref runs)}", Eager);
        Assert.Equal(("made 1", "made 1"), (Get(), Get()));
        Time.Advance(Life * 0.8);
        Assert.Equal("made 1", Get());
        Eventually.True(() => Table.Get("a") == "made 2" && !Table.Core.Flights.IsAny);
        Assert.Equal("made 2", Get());
        Time.Advance(Life);
        Assert.Equal(("made 3", "made 3", 3), (Get(), Get(), runs));
    }

    [Fact]
    public async Task The_call_that_began_a_refresh_may_be_cancelled_and_it_goes_on()
    {
        Table.Put("a", "old", Eager);
        Time.Advance(Life * 0.8);
        using var cancel = new CancellationTokenSource();
        var begun = new TaskCompletionSource<CancellationToken>();
        var go = new TaskCompletionSource();
        Assert.Equal("old", await Table.GetOrAddAsync("a", async (_, stop) =>
        {
            begun.SetResult(stop);
            await go.Task;
            stop.ThrowIfCancellationRequested();
            return "new";
        }, Eager, cancel.Token));
        CancellationToken seen = await begun.Task.WaitAsync(Eventually.Timeout);
        await cancel.CancelAsync();
        Time.Advance(Life);
        Assert.False(Table.ContainsKey("a"));
        go.SetResult();
        await Eventually.TrueAsync(() => Table.ContainsKey("a"));
        Assert.False(seen.IsCancellationRequested);
        Assert.Equal("new", await Table.GetOrAddAsync("a", (_, _) => new ValueTask<string>("other"), Eager));
    }

    [Fact]
    public void It_has_the_tags_of_the_call_that_began_the_refresh()
    {
        Table.Put("a", "old", Eager with { Tags = ["before"] });
        Time.Advance(Life * 0.8);
        Assert.Equal("old", Table.GetOrAdd("a", _ => "new", Eager with { Tags = ["c", "d"] }));
        Eventually.True(() => Table.Get("a") == "new");
        Table.RemoveByTag("before");
        Assert.Equal("new", Table.Get("a"));
        Table.RemoveByTag("c");
        Assert.False(Table.ContainsKey("a"));
    }

    [Fact]
    public void The_longest_life_there_is_is_not_due_in_a_lifetime()
    {
        EntryOptions longest = new() { MaxAge = TimeSpan.MaxValue, EagerRefresh = 0.5 };
        int runs = 0;
        for (int year = 0; year < 50; year++)
        {
            Assert.Equal("made 1", Table.GetOrAdd("a", _ => $"made {++runs}", longest));
            Time.Advance(TimeSpan.FromDays(365));
        }
        Assert.Equal("made 1", Table.Get("a"));
    }
}
