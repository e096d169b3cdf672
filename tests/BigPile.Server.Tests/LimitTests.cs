using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests;

public sealed class LimitTests : ServerTest
{
    private const string Path = "/v1/tables/t/entries/k";

    protected override string[] Settings => ["--Server:MaxBodyBytes=1k", "--Pile:MaxBytes=8m"];

    [Fact]
    public async Task A_body_at_the_limit_is_taken_and_one_above_is_not()
    {
        (await Server.PutAsync(Path, new byte[1024])).EnsureSuccessStatusCode();
        JsonElement problem =
            await ProblemAsync(await Server.PutAsync(Path, new byte[1025]), HttpStatusCode.RequestEntityTooLarge, "body_too_large");
        Assert.Equal((1024, 1025), (problem.GetProperty("limit").GetInt32(), problem.GetProperty("actual").GetInt32()));
        Assert.Equal(1024, (await Client.GetByteArrayAsync(Path)).Length);
    }

    [Fact]
    public async Task A_body_of_unknown_length_is_read_no_further_than_the_limit()
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, Path);
        request.Content = new ByteArrayContent(new byte[1025]);
        request.Headers.TransferEncodingChunked = true;
        await ProblemAsync(await Client.SendAsync(request), HttpStatusCode.RequestEntityTooLarge, "body_too_large");
        Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync(Path)).StatusCode);
    }

    [Fact]
    public async Task A_full_pile_says_so_and_goes_on_serving()
    {
        var body = new byte[1024];
        HttpResponseMessage? refused = null;
        int count = 0;
        for (; count < 9_000 && refused == null; count++)
        {
            HttpResponseMessage response = await Server.PutAsync($"/v1/tables/t/entries/{count}", body);
            if (!response.IsSuccessStatusCode)
                refused = response;
        }
        JsonElement problem = await ProblemAsync(refused!, HttpStatusCode.InsufficientStorage, "pile_full");
        Assert.Contains("The pile is full", problem.GetProperty("title").GetString(), StringComparison.Ordinal);
        Assert.False(problem.TryGetProperty("detail", out _)); // limits and paths are for the log
        Assert.Equal(body, await Client.GetByteArrayAsync("/v1/tables/t/entries/0"));
        Assert.Equal(count - 1, (await GetJsonAsync("/v1/tables/t")).GetProperty("entries").GetInt32());
        foreach (int key in Enumerable.Range(0, 100))
            (await Client.DeleteAsync($"/v1/tables/t/entries/{key}")).EnsureSuccessStatusCode();
        (await Server.PutAsync("/v1/tables/t/entries/again", body)).EnsureSuccessStatusCode();
    }
}
