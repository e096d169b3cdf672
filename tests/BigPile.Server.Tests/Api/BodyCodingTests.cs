using System.Net;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Api;

/// <summary>Documents are taken as they are, and not compressed.</summary>
public sealed class BodyCodingTests : ServerTest
{
    [Theory]
    [InlineData("POST", ":mset", "{\"items\":[{\"key\":\"a\",\"value\":1}]}")]
    [InlineData("POST", ":mget", "{\"keys\":[\"a\"]}")]
    [InlineData("POST", ":mdelete", "{\"keys\":[\"a\"]}")]
    [InlineData("POST", ":evict", "{\"tags\":[\"a\"]}")]
    [InlineData("PUT", "", "{}")]
    public async Task A_coding_of_a_document_is_refused(string method, string action, string body)
    {
        (await Server.PutAsync("/v1/tables/t/entries/a", [1])).EnsureSuccessStatusCode();
        foreach (string coding in new[] { "gzip", "br", "identity, gzip", "rubbish" })
        {
            HttpResponseMessage answer = await SendAsync(method, action, body, coding);
            await ServerTest.ProblemAsync(answer, HttpStatusCode.UnsupportedMediaType, "content_encoding_unsupported");
        }
        Assert.True((await SendAsync(method, action, body, "identity")).IsSuccessStatusCode);
    }

    [Fact]
    public async Task A_load_has_one_field_for_its_keys() => await ProblemAsync(
        await Client.PostAsync("/v1/tables/t:load?key=a&key=b", new StringContent("{\"a\":\"1\"}\n")), HttpStatusCode.BadRequest,
        "query_invalid");

    private Task<HttpResponseMessage> SendAsync(string method, string action, string body, string coding) => Server.SendAsync(
        method, "/v1/tables/t" + action, Encoding.UTF8.GetBytes(body), ("Content-Type", "application/json"), ("Content-Encoding", coding));
}
