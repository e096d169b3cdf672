using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Tests.Page.Support;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Page;

/// <summary>The page over a service that is empty, loaded, busy, warming up, starting and gone.</summary>
public sealed class StateTests(Browser browser) : PageTest(browser)
{
    [BrowserFact]
    public async Task An_empty_pile_says_how_to_begin()
    {
        await using OpenPage page = await OpenAsync();
        await page.HasStatusAsync("ready");
        await page.HasTextAsync("#tables-empty", "No tables yet");
        await page.HasTextAsync("#first-put", Server.Address + "v1/tables/mine/entries/first");
        await page.HasTextAsync("#equation", "unused");
        Assert.True(await page.At("#recovery").IsHiddenAsync());
        await page.PictureAsync("fresh-light");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task Requests_show_within_moments_as_rates_and_latency()
    {
        using var stop = new CancellationTokenSource();
        Task[] load = [LoadAsync("orders", 1, stop.Token), LoadAsync("sessions", 2, stop.Token)];
        await using OpenPage page = await OpenAsync();
        await page.HasStatusAsync("ready");
        await page.HasTextAsync("#table-rows tr:nth-child(2)", "sessions");
        await page.HasTextAsync("#tile-latency", "s"); // µs or ms: something was timed
        await page.UntilAsync("document.querySelector('#tiles .spark path:nth-of-type(2)').getAttribute('d').split('L').length > 8");
        string rate = await page.At("#tile-activity").InnerTextAsync();
        await page.PictureAsync("load-light");
        await stop.CancelAsync();
        await Task.WhenAll(load);
        Assert.Matches("^[0-9]", rate);
        Assert.NotEqual("0", rate);
        await page.HasTextAsync("#tile-activity", "0");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_pile_that_warms_up_shows_how_far_it_is()
    {
        await FillAsync(400);
        await Server.DisposeAsync();
        Replace(await RunningServer.StartAsync(Directory, "--Pile:Warmup=touch", "--Pile:WarmupBytesPerSecond=64k"));
        await using OpenPage page = await OpenAsync();
        await page.HasStatusAsync("warming");
        await page.HasTextAsync("#recovery", "Pages examined");
        await page.HasTextAsync("#recovery", "The last owner closed the pile.");
        await page.HasTextAsync("#equation", "unexamined");
        int now = int.Parse(await page.At(
            "#recovery [role=progressbar]").GetAttributeAsync("aria-valuenow") ?? "", System.Globalization.CultureInfo.InvariantCulture);
        Assert.InRange(now, 0, 99);
        await page.PictureAsync("warming-light");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_service_that_is_not_ready_says_so_and_goes_on_by_itself()
    {
        await Server.DisposeAsync();
        using Pile former = Pile.Open(Directory); // as the instance that is being replaced
        Replace(await RunningServer.StartOpeningAsync(Directory, static _ => { }, "--Pile:OpenSeconds=300"));
        await using OpenPage page = await OpenAsync();
        page.Expected.Add("503");
        await page.HasStatusAsync("starting");
        await page.HasTextAsync("#banner", "not ready yet");
        await page.HasTextAsync("#recovery", "pile open");
        await page.PictureAsync("starting-light");
        former.Dispose();
        await page.HasStatusAsync("ready");
        Assert.True(await page.At("#banner").IsHiddenAsync());
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_service_that_is_gone_is_missed()
    {
        await using OpenPage page = await OpenAsync();
        page.Expected.Add("ERR_CONNECTION");
        page.Expected.Add("ERR_EMPTY_RESPONSE");
        page.Expected.Add("503");
        await page.HasStatusAsync("ready");
        await Server.StopAsync();
        await page.HasStatusAsync("lost");
        await page.HasTextAsync("#banner", "reached");
        await page.AssertCleanAsync();
    }

    [BrowserFact]
    public async Task A_page_that_is_paused_asks_for_nothing()
    {
        await using OpenPage page = await OpenAsync();
        await page.HasStatusAsync("ready");
        await page.At("#pause").ClickAsync();
        Assert.Equal("true", await page.At("#pause").GetAttributeAsync("aria-pressed"));
        int before = -1;
        await Eventually.TrueAsync(async () => // the turn that runs ends
        {
            (int last, before) = (before, page.RequestCount);
            await page.Tab.WaitForTimeoutAsync(1000);
            return before == last;
        });
        await PutAsync("late", "k", "v", "text/plain");
        await page.Tab.WaitForTimeoutAsync(2500); // two and a half periods, without a poll
        Assert.Equal(before, page.RequestCount);
        await page.At("#pause").ClickAsync();
        await page.HasTextAsync("#table-rows", "late");
    }

    private async Task FillAsync(int entries)
    {
        for (int i = 0; i < entries; i++)
            await PutAsync("stock", $"item-{i:d4}", new byte[16_000], "application/octet-stream");
    }

    private async Task LoadAsync(string table, int seed, CancellationToken stop)
    {
        var random = new Random(TestLeg.Seed(seed));
        while (!stop.IsCancellationRequested)
        {
            string key = $"user-{random.Next(500)}";
            if (random.Next(4) == 0)
                await PutAsync(table, key, new byte[random.Next(4_000)], "application/octet-stream");
            else
                using (await Server.Client.GetAsync($"/v1/tables/{table}/entries/{key}", CancellationToken.None))
                {
                    // any answer is one
                }
        }
    }
}
