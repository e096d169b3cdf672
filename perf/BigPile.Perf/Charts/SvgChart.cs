using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Charts;

/// <summary>Draws a chart: a line through the medians of each series, and the range of the repeats as a whisker.</summary>
internal sealed class SvgChart
{
    private const double CapWidth = 4;

    private readonly RunChart _chart;
    private readonly ChartFrame _frame;
    private readonly IReadOnlyList<SeriesStyle> _styles;
    private readonly SvgWriter _svg;
    private bool _hasFloor;

    private SvgChart(RunChart chart, ChartSize size, bool standsAlone)
    {
        _chart = chart;
        _frame = new ChartFrame(chart, size, standsAlone);
        _styles = SeriesStyle.Of(chart.Series);
        _svg = new SvgWriter(chart.Title, _frame.Width, _frame.Height, size.ClassName);
    }

    /// <summary>For a page that has the chart's heading, and the colours as properties of its style sheet.</summary>
    internal static string InPage(RunChart chart, ChartSize size) => new SvgChart(chart, size, standsAlone: false).Draw();

    /// <summary>For a file of its own: with its heading, ground and style sheet.</summary>
    internal static string StandAlone(RunChart chart)
    {
        var drawing = new SvgChart(chart, ChartSize.Wide, standsAlone: true);
        drawing._svg.Style(ChartTheme.OwnRules);
        drawing._svg.Ground(drawing._frame.Width, drawing._frame.Height);
        return drawing.Draw();
    }

    private string Draw()
    {
        DrawTitle();
        DrawAxes();
        for (int i = 0; i < _chart.Series.Count; i++)
            DrawLine(_chart.Series[i], _styles[i]);
        for (int i = 0; i < _chart.Series.Count; i++)
            DrawPoints(_chart.Series[i], _styles[i]);
        DrawLegend();
        if (_hasFloor)
            _svg.Text(_frame.PlotLeft, _frame.Height - 8, "▽ at 0 or below, for which this axis has no place", "start", "small");
        return _svg.End();
    }

    private void DrawTitle()
    {
        double y = 14 + ChartFrame.TitlePixels;
        foreach (string line in _frame.Title)
        {
            _svg.Text(14, y, line, "start", "title");
            y += ChartFrame.LineHeight;
        }
    }

    private void DrawAxes()
    {
        foreach (double tick in _frame.Y.Ticks)
        {
            double y = _frame.AtY(tick);
            _svg.Segment(_frame.PlotLeft, y, _frame.PlotRight, y, tick == 0 ? "axis" : "grid");
            _svg.Text(_frame.PlotLeft - 8, y + 4.5, FigureText.Short(tick, _chart.Y.Unit), "end", "");
        }
        _svg.Segment(_frame.PlotLeft, _frame.PlotBottom, _frame.PlotRight, _frame.PlotBottom, "axis");
        foreach (double tick in _frame.X.Ticks)
        {
            double x = _frame.AtX(tick);
            _svg.Segment(x, _frame.PlotBottom, x, _frame.PlotBottom + 5, "axis");
            _svg.Text(x, _frame.PlotBottom + 20, FigureText.Short(tick, _chart.X.Unit), "middle", "");
        }
        _svg.Text(14, _frame.PlotTop - 14, NameOf(_chart.Y), "start", "small");
        _svg.Text((_frame.PlotLeft + _frame.PlotRight) / 2, _frame.PlotBottom + 40, NameOf(_chart.X), "middle", "small");
    }

    private void DrawLegend()
    {
        foreach ((LegendEntry entry, SeriesStyle style) in _frame.Legend.Zip(_styles))
        {
            double y = _frame.LegendTop + entry.Row * ChartFrame.LineHeight + 8;
            _svg.Segment(entry.X, y, entry.X + LegendEntry.SampleWidth, y, style.LineClasses);
            _svg.Path(style.MarkerAt(entry.X + LegendEntry.SampleWidth / 2, y), style.MarkerClasses);
            _svg.Text(entry.X + LegendEntry.TextOffset, y + 4.5, entry.Name, "start", "");
        }
    }

    // A figure that the axis can't show breaks the line: interpolating over it would be invention.
    private void DrawLine(RunSeries series, SeriesStyle style)
    {
        string data = "";
        bool isBroken = true;
        foreach (RunPoint point in series.Points)
        {
            double median = Spread.Of(point.Repeats).Median;
            bool hasPlace = HasPlace(median);
            if (hasPlace)
                data += $"{(isBroken ? 'M' : 'L')}{SvgWriter.Number(_frame.AtX(point.X))} {SvgWriter.Number(_frame.AtY(median))}";
            isBroken = !hasPlace;
        }
        if (data.Contains('L'))
            _svg.Path(data, style.LineClasses);
    }

    private void DrawPoints(RunSeries series, SeriesStyle style)
    {
        foreach (RunPoint point in series.Points)
        {
            Spread spread = Spread.Of(point.Repeats);
            double x = _frame.AtX(point.X);
            double y = HasPlace(spread.Median) ? _frame.AtY(spread.Median) : _frame.PlotBottom;
            _svg.BeginGroup(PointText.Of(_chart, series, point, spread));
            DrawWhisker(x, spread, style);
            if (HasPlace(spread.Median))
                _svg.Path(style.MarkerAt(x, y), style.MarkerClasses);
            else
                DrawFloorMark(x, y, style);
            _svg.Circle(x, y, 11, "reach");
            _svg.EndGroup();
        }
    }

    private void DrawWhisker(double x, Spread spread, SeriesStyle style)
    {
        double top = HasPlace(spread.Highest) ? _frame.AtY(spread.Highest) : _frame.PlotBottom;
        double bottom = HasPlace(spread.Lowest) ? _frame.AtY(spread.Lowest) : _frame.PlotBottom;
        if (bottom - top < 1)
            return;
        string caps = $"M{SvgWriter.Number(x - CapWidth)} {SvgWriter.Number(top)}h{2 * CapWidth}"
            + $"M{SvgWriter.Number(x - CapWidth)} {SvgWriter.Number(bottom)}h{2 * CapWidth}";
        _svg.Path($"M{SvgWriter.Number(x)} {SvgWriter.Number(top)}V{SvgWriter.Number(bottom)}{caps}", $"{style.ColorClass} whisker");
    }

    private void DrawFloorMark(double x, double y, SeriesStyle style)
    {
        _hasFloor = true;
        string left = SvgWriter.Number(x - 5);
        _svg.Path($"M{left} {SvgWriter.Number(y - 9)}h10l-5 9Z", $"{style.ColorClass} marker hollow");
    }

    private bool HasPlace(double value) => !_chart.Y.IsLogarithmic || value > 0;

    // If each figure has its own unit, the axis' name has none.
    private static string NameOf(RunAxis axis) =>
        FigureText.Named(axis.Label, FigureText.IsScaled(axis.Unit) ? "" : axis.Unit) + (axis.IsLogarithmic ? " (logarithmic)" : "");
}
