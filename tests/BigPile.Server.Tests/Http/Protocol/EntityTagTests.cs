using BigPile.Http.Protocol;
using Microsoft.Extensions.Primitives;

namespace BigPile.Server.Tests.Http.Protocol;

public sealed class EntityTagTests
{
    private const string Tag = "\"00000000000000ff\"";

    [Fact]
    public void A_tag_is_the_version_quoted()
    {
        Assert.Equal(Tag, EntityTag.Of(255));
        Assert.Equal("\"ffffffffffffffff\"", EntityTag.Of(ulong.MaxValue));
    }

    [Theory]
    [InlineData(Tag, true)]
    [InlineData("W/" + Tag, true)]
    [InlineData("*", true)]
    [InlineData(" * ", true)]
    [InlineData("\"x\", " + Tag, true)]
    [InlineData("\"x\",\tW/\"a,b\" ,, " + Tag + " ,", true)]
    [InlineData("\"00000000000000FF\"", false)]
    [InlineData("00000000000000ff", false)]
    [InlineData("\"x\"", false)]
    [InlineData("", false)]
    [InlineData("w/" + Tag, false)]
    [InlineData(Tag + " x", false)]
    [InlineData(Tag + Tag, false)]
    [InlineData("\"unfinished", false)]
    public void A_list_names_a_tag_or_does_not(string header, bool isNamed) => Assert.Equal(isNamed, EntityTag.IsNamedBy(header, Tag));

    [Fact]
    public void Several_lines_are_one_list()
    {
        Assert.True(EntityTag.IsNamedBy(new StringValues(["\"x\"", Tag]), Tag));
        Assert.False(EntityTag.IsNamedBy(new StringValues(["\"x\"", "\"y\""]), Tag));
        Assert.False(EntityTag.IsNamedBy(default, Tag));
    }
}
