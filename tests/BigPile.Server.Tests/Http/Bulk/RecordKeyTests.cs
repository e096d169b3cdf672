using System;
using System.Text;
using BigPile.Http.Bulk;

namespace BigPile.Server.Tests.Http.Bulk;

public sealed class RecordKeyTests
{
    private readonly RecordKey _key = new("id");

    [Theory]
    [InlineData("{\"id\":\"a\"}", "a")]
    [InlineData(" {\"x\":{\"id\":\"inner\"},\"id\":\"outer\"} ", "outer")]
    [InlineData("{\"id\":12.50e3}", "12.50e3")]
    [InlineData("{\"id\":-0}", "-0")]
    [InlineData("{\"id\":\"a\\/\\u00fc\\ud83d\\udd11\"}", "a/ü🔑")]
    [InlineData("{\"\\u0069d\":\"escaped\"}", "escaped")]
    [InlineData("{\"id\":1,\"id\":2}", "2")]
    public void The_key_is_the_value_of_the_field(string record, string expected)
    {
        Assert.Null(_key.Find(Encoding.UTF8.GetBytes(record), out ReadOnlyMemory<byte> key));
        Assert.Equal(expected, Encoding.UTF8.GetString(key.Span));
    }

    [Theory]
    [InlineData("nonsense", "it is no JSON object")]
    [InlineData("{\"id\":\"a\"", "it is no JSON: ")]
    [InlineData("{\"id\":\"a\"} {}", "it is no JSON: ")]
    [InlineData("{'id':1}", "it is no JSON: ")]
    [InlineData("[1]", "it is no JSON object")]
    [InlineData("1", "it is no JSON object")]
    [InlineData("{}", "it has no field 'id'")]
    [InlineData("{\"ID\":1}", "it has no field 'id'")]
    [InlineData("{\"id\":null}", "its field 'id' is neither a string nor a number")]
    [InlineData("{\"id\":[1]}", "its field 'id' is neither a string nor a number")]
    [InlineData("{\"id\":\"\"}", "its field 'id' can't be a key. The key is empty.")]
    [InlineData("{\"id\":\"a/..\"}", "its field 'id' can't be a key. The key has a segment")]
    [InlineData("{\"id\":\"\\u0000\"}", "its field 'id' can't be a key. The key has a NUL")]
    [InlineData("{\"id\":\"\\ud800\"}", "its field 'id' is no valid text")]
    public void What_is_wrong_is_said(string record, string expected) =>
        Assert.StartsWith(expected, _key.Find(Encoding.UTF8.GetBytes(record), out _), StringComparison.Ordinal);

    [Fact]
    public void A_key_has_at_most_1024_bytes()
    {
        Assert.Null(_key.Find(Encoding.UTF8.GetBytes($"{{\"id\":\"{new string('k', 1024)}\"}}"), out _));
        Assert.Contains(
            "1,024", _key.Find(Encoding.UTF8.GetBytes($"{{\"id\":\"{new string('k', 1025)}\"}}"), out _), StringComparison.Ordinal);
    }
}
