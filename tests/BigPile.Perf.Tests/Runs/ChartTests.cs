using System;
using System.Globalization;
using System.Linq;
using System.Xml.Linq;
using BigPile.Perf.Charts;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Tests.Runs;

public sealed class ChartTests
{
    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";

    [Theory]
    [InlineData(1e6, "", "1 M")]
    [InlineData(50e6, "", "50 M")]
    [InlineData(1500, "", "1.5 k")]
    [InlineData(999, "", "999")]
    [InlineData(0, "", "0")]
    [InlineData(-2e6, "", "-2 M")]
    [InlineData(0.1, "ms", "0.1 ms")]
    [InlineData(0.01, "ms", "10 µs")]
    [InlineData(10, "ms", "10 ms")]
    [InlineData(1000, "ms", "1 s")]
    [InlineData(0.1, "us", "0.1 µs")]
    [InlineData(20_000, "us", "20 ms")]
    [InlineData(0, "ms", "0 ms")]
    [InlineData(1 << 30, "bytes", "1 GiB")]
    [InlineData(1.5 * (1 << 20), "bytes", "1.5 MiB")]
    [InlineData(96, "bytes", "96 B")]
    public void A_tick_is_short(double value, string unit, string text) =>
        Assert.Equal(text, FigureText.Short(value, unit).Replace('\u00a0', ' '));

    [Theory]
    [InlineData(15493582.4, "15,493,582")]
    [InlineData(1234.56, "1,235")]
    [InlineData(12.3456, "12.35")]
    [InlineData(0.00012344, "0.0001234")]
    [InlineData(0.00000123, "1.23E-6")]
    public void A_figure_of_a_table_has_its_digits(double value, string text) => Assert.Equal(text, FigureText.Full(value, "ms"));

    [Fact]
    public void Logarithmic_axes_have_round_figures_at_equal_ratios()
    {
        AxisScale objects = Axis([1e6, 50e6], isLogarithmic: true, endsAtTicks: false, length: 600, labelPixels: 50);
        Assert.Equal([1e6, 2e6, 5e6, 10e6, 20e6, 50e6], objects.Ticks, static (a, b) => Math.Abs(a / b - 1) < 1e-9);
        AxisScale pauses = Axis([0.5, 2200], isLogarithmic: true, endsAtTicks: true, length: 290, labelPixels: 34);
        Assert.Equal((0.1, 10_000.0), (Math.Round(pauses.Lowest, 9), Math.Round(pauses.Highest, 6)));
        Assert.Equal(pauses.PixelsOf(10) - pauses.PixelsOf(1), pauses.PixelsOf(1000) - pauses.PixelsOf(100), 1e-6);
        AxisScale sizes = AxisScale.Of([1 << 20, 1 << 28], new AxisSpec(true, true, true, false, 500, static _ => 60));
        Assert.All(sizes.Ticks, tick => Assert.True(double.IsPow2(tick)));
    }

    [Fact]
    public void Other_axes_begin_at_zero_whatever_the_figures()
    {
        AxisScale axis = Axis([95, 98], isLogarithmic: false, endsAtTicks: true, length: 290, labelPixels: 34);
        Assert.Equal((0.0, 100.0), (axis.Lowest, axis.Highest));
        Assert.Equal(145, axis.PixelsOf(50), 1e-6);
        Assert.Contains(0, Axis([-5, 10], isLogarithmic: false, endsAtTicks: true, length: 290, labelPixels: 34).Ticks);
    }

    // Any figures that a file may hold: an axis comes out, with rising ticks inside of it whose texts do not meet.
    [Fact]
    public void Any_figures_have_an_axis()
    {
        const int seed = 4711;
        var random = new Random(seed);
        for (int round = 0; round < 3000; round++)
        {
            bool isLogarithmic = random.Next(2) == 0;
            double size = Math.Pow(10, random.Next(-18, 19));
            double[] values = [.. Enumerable.Range(0, random.Next(4)).Select(_ => size * Math.Pow(10, -3 * random.NextDouble()))];
            double sign = isLogarithmic || random.Next(3) > 0 ? 1 : -1;
            var spec = new AxisSpec(isLogarithmic, random.Next(2) == 0, random.Next(2) == 0, random.Next(2) == 0, 400, static _ => 40);
            AxisScale axis = AxisScale.Of([.. values.Select(value => value * sign)], spec);
            string place = $"seed {seed}, round {round}: {string.Join(' ', values)}";
            Assert.True(double.IsFinite(axis.Lowest) && axis.Lowest < axis.Highest, place);
            double[] pixels = [.. axis.Ticks.Select(axis.PixelsOf)];
            Assert.True(pixels.Zip(pixels.Skip(1)).All(static pair => pair.Second - pair.First >= 39.9), place);
            Assert.All(values, value => Assert.InRange(axis.PixelsOf(value * sign), 0, 400));
        }
    }

    [Fact]
    public void Each_chart_is_well_formed_and_nothing_leaves_it()
    {
        foreach (RunChart chart in InventedRun.Of().Charts)
        {
            AssertInside(XDocument.Parse(SvgChart.StandAlone(chart)).Root!);
            AssertInside(XDocument.Parse(SvgChart.InPage(chart, ChartSize.Wide)).Root!);
            AssertInside(XDocument.Parse(SvgChart.InPage(chart, ChartSize.Narrow)).Root!);
        }
    }

    [Fact]
    public void A_point_tells_its_figures_and_a_baseline_is_dashed()
    {
        RunChart chart = ComparisonTests.Small([1.5, 1, 2]).Charts[0];
        chart = chart with { Series = [.. chart.Series, new RunSeries("heap", true, [new RunPoint(1, [4]), new RunPoint(10, [40])])] };
        XElement svg = XDocument.Parse(SvgChart.StandAlone(chart)).Root!;
        string[] titles = [.. svg.Descendants(Svg + "title").Select(static title => title.Value.Replace('\u00a0', ' '))];
        Assert.Contains("pile, live objects 1: 1.5 ms (median of 3, 1 – 2)", titles);
        Assert.Contains("heap, live objects 10: 40 ms", titles);
        string[] classes = [.. svg.Descendants(Svg + "path").Select(static path => path.Attribute("class")!.Value)];
        Assert.Single(classes, static name => name == "s1 whisker");
        Assert.Contains("s6 line dashed", classes);
        Assert.DoesNotContain("var(", svg.Element(Svg + "style")!.Value);
        Assert.Contains("prefers-color-scheme: dark", svg.Element(Svg + "style")!.Value);
    }

    [Fact]
    public void Zero_on_a_logarithmic_axis_lies_at_its_floor_with_a_mark_and_breaks_the_line()
    {
        RunChart chart = ComparisonTests.Small([5], [0], [7], [8]).Charts[0];
        string text = SvgChart.InPage(chart, ChartSize.Wide);
        Assert.Contains("▽ at 0 or below", System.Net.WebUtility.HtmlDecode(text));
        XElement svg = XDocument.Parse(text).Root!;
        XElement path = svg.Descendants(Svg + "path").First(static one => one.Attribute("class")!.Value == "s1 line");
        string line = path.Attribute("d")!.Value;
        Assert.Equal((2, 1), (line.Count(static c => c == 'M'), line.Count(static c => c == 'L')));
        Assert.DoesNotContain("at 0 or below", SvgChart.InPage(ComparisonTests.Small([5]).Charts[0], ChartSize.Wide));
    }

    [Fact]
    public void Many_series_all_look_different()
    {
        RunSeries[] series = [.. Enumerable.Range(0, 20)
            .Select(static i => new RunSeries($"a series with a long name {i}", i % 3 == 0, []))];
        Assert.Equal(20, SeriesStyle.Of(series).Distinct().Count());
        RunChart chart = ComparisonTests.Small([1]).Charts[0] with { Series = series };
        AssertInside(XDocument.Parse(SvgChart.InPage(chart, ChartSize.Narrow)).Root!);
    }

    // The threshold of the accessibility guidelines for what is drawn.
    [Fact]
    public void Every_colour_of_a_series_stands_out_of_its_ground()
    {
        (string _, string Light, string Dark) surface = ChartTheme.All.Single(static color => color.Name == "surface");
        foreach ((string name, string light, string dark) in ChartTheme.All.Where(static color => color.Name.Contains("series-")))
        {
            Assert.True(Contrast(light, surface.Light) >= 3, name);
            Assert.True(Contrast(dark, surface.Dark) >= 3, name);
        }
    }

    private static AxisScale Axis(double[] values, bool isLogarithmic, bool endsAtTicks, double length, double labelPixels) =>
        AxisScale.Of(values, new AxisSpec(isLogarithmic, false, false, endsAtTicks, length, _ => labelPixels));

    private static void AssertInside(XElement svg)
    {
        double width = NumberOf(svg, "width");
        double height = NumberOf(svg, "height");
        foreach (XElement text in svg.Descendants(Svg + "text"))
        {
            double length = TextWidth.Of(text.Value, text.Attribute("class")!.Value == "title" ? 16 : 13);
            double before = text.Attribute("text-anchor")!.Value switch { "end" => length, "middle" => length / 2, _ => 0 };
            double left = NumberOf(text, "x") - before;
            Assert.True(left >= 0 && left + length <= width, $"'{text.Value}' from {left} to {left + length} of {width}");
            Assert.InRange(NumberOf(text, "y"), 10, height - 4);
        }
        Assert.All(svg.Descendants(Svg + "circle"), circle => Assert.InRange(NumberOf(circle, "cx"), 0, width));
        Assert.All(svg.Descendants(Svg + "circle"), circle => Assert.InRange(NumberOf(circle, "cy"), 0, height));
    }

    private static double NumberOf(XElement element, string name) =>
        double.Parse(element.Attribute(name)!.Value, CultureInfo.InvariantCulture);

    private static double Contrast(string a, string b)
    {
        double[] lights = [LightOf(a), LightOf(b)];
        return (lights.Max() + 0.05) / (lights.Min() + 0.05);
    }

    private static double LightOf(string color)
    {
        double[] parts =
        [
            .. new[] { 1, 3, 5 }.Select(at => int.Parse(color.AsSpan(at, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture) / 255.0)
                .Select(static part => part <= 0.04045 ? part / 12.92 : Math.Pow((part + 0.055) / 1.055, 2.4)),
        ];
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    }
}
