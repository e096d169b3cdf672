using System.Globalization;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Bulk;
using BigPile.Server.Tests.Page.Support;

namespace BigPile.Server.Tests.Page;

/// <summary>The page over a service that verifies its pile.</summary>
public sealed class OperationTests(Browser browser) : PageTest(browser)
{
    [BrowserFact]
    public async Task An_operation_that_runs_shows_how_far_it_is_until_it_ends()
    {
        for (int i = 0; i < 300; i++)
            await PutAsync("stock", $"item-{i:d4}", new byte[16_000], "application/octet-stream");
        using var resume = new ManualResetEventSlim();
        Server.Service<OperationStore>().Progressed = progress =>
        {
            if (progress.Fraction >= 0.25)
                resume.Wait();
        };
        try
        {
            await using OpenPage page = await OpenAsync();
            await page.HasStatusAsync("ready");
            await page.HasTextAsync("#operations-note", "none since the start");
            using HttpResponseMessage begun = await Server.Client.PostAsync("/v1/admin:verify", null);
            begun.EnsureSuccessStatusCode();
            await page.HasTextAsync("#operations .figure", "pages");
            await page.UntilAsync("document.querySelector('#operations progress').value >= 0.25");
            double value = await page.Tab.EvaluateAsync<double>("document.querySelector('#operations progress').value");
            Assert.InRange(value, 0.25, 0.5);
            Assert.Equal(
                "verify", await page.Tab.EvaluateAsync<string>("document.querySelector('#operations progress').labels[0].textContent"));
            Assert.StartsWith(
                (value * 100).ToString("F1", CultureInfo.InvariantCulture), await page.At("#operations .figure").InnerTextAsync());
            await page.PictureAsync("operation-light");
            resume.Set();
            await page.HasTextAsync("#history-rows", "sound");
            Assert.Equal(0, await page.At("#operations progress").CountAsync());
            await page.AssertCleanAsync();
        }
        finally
        {
            resume.Set();
        }
    }

    [BrowserFact]
    public async Task A_key_that_may_not_administrate_is_not_tried_twice()
    {
        int asked = 0;
        await using OpenPage page = await OpenAsync(prepare: tab => tab.RouteAsync("**/v1/operations", route =>
        {
            Interlocked.Increment(ref asked);
            return route.FulfillAsync(
                new() { Status = 403, ContentType = "application/problem+json", Body = """{"status":403,"code":"scope_missing"}""" });
        }));
        page.Expected.Add("403");
        await page.HasStatusAsync("ready");
        await PutAsync("late", "k", "v", "text/plain");
        await page.HasTextAsync("#table-rows", "late"); // in the second turn, before it would ask
        await PutAsync("later", "k", "v", "text/plain");
        await page.HasTextAsync("#table-rows", "later"); // in the third
        Assert.Equal(1, Volatile.Read(ref asked));
        await page.AssertCleanAsync();
    }
}
