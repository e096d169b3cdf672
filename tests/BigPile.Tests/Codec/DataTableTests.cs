using System;
using System.Data;

namespace BigPile.Tests.Codec;

/// <summary>
/// Tables of System.Data hold relations, views and event handlers, whose fields may change with each version of .NET: they are refused,
/// with advice.
/// </summary>
public sealed class DataTableTests
{
    public static TheoryData<string, Func<object>> Cases => new()
    {
        { "System.Data.DataTable", static () => new DataTable("t") },
        { "System.Data.DataSet", static () => new DataSet("s") },
        { "System.Data.DataView", static () => new DataView(new DataTable("t")) },
        { "System.Data.DataRow", static () => new DataTable("t").NewRow() },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public void They_are_refused_by_name_with_a_remedy(string name, Func<object> make)
    {
        var fixture = new CodecFixture();
        foreach (object value in new[] { make(), new Holder { Value = make() } })
        {
            var refused = Assert.Throws<PileSerializationException>(() => fixture.Write(value));
            Assert.Contains(name, refused.Message, StringComparison.Ordinal);
            Assert.Contains("WriteXml", refused.Message, StringComparison.Ordinal);
        }
    }

    private sealed class Holder
    {
        public object? Value { get; set; }
    }
}
