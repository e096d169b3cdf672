using BigPile.Server.Tests.Page.Support;

namespace BigPile.Server.Tests.Page;

public sealed class ContrastTests
{
    [Theory]
    [InlineData("rgb(0, 0, 0)", "rgb(255, 255, 255)", 21)]
    [InlineData("rgb(119, 119, 119)", "rgb(255, 255, 255)", 4.48)]
    [InlineData("rgb(10, 20, 30)", "rgb(10, 20, 30)", 1)]
    public void Contrast_is_what_the_standard_says(string color, string ground, double contrast) =>
        Assert.Equal(contrast, ColorContrast.Between(color, ground), 0.01);
}
