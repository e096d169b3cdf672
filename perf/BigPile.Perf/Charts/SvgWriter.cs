using System.Globalization;
using System.Text;

namespace BigPile.Perf.Charts;

/// <summary>Writes the elements of a picture.</summary>
internal sealed class SvgWriter
{
    private readonly StringBuilder _text = new();

    /// <summary>Begins a picture.</summary>
    /// <param name="label">The text alternative for screen readers.</param>
    /// <param name="width">Its width in pixels.</param>
    /// <param name="height">Its height in pixels.</param>
    /// <param name="classes">Its classes in addition to those of each chart.</param>
    internal SvgWriter(string label, double width, double height, string classes)
    {
        string size = $"viewBox=\"0 0 {Number(width)} {Number(height)}\" width=\"{Number(width)}\" height=\"{Number(height)}\"";
        string names = $"class=\"chart {classes}\" role=\"img\" aria-label=\"{MarkupText.Of(label)}\"";
        Add($"<svg xmlns=\"http://www.w3.org/2000/svg\" {names} {size}>");
    }

    /// <summary>Writes a style sheet.</summary>
    internal void Style(string rules) => Add($"<style>\n{rules}</style>");

    /// <summary>Begins a group, whose elements until <see cref="EndGroup"/> have the tooltip.</summary>
    internal void BeginGroup(string tooltip) => Add($"<g><title>{MarkupText.Of(tooltip)}</title>");

    /// <summary>Ends what <see cref="BeginGroup"/> began.</summary>
    internal void EndGroup() => Add("</g>");

    /// <summary>Writes the background.</summary>
    internal void Ground(double width, double height) => Add(
        $"<rect x=\"0.5\" y=\"0.5\" width=\"{Number(width - 1)}\" height=\"{Number(height - 1)}\" rx=\"10\" class=\"ground\"/>");

    /// <summary>Writes a straight line.</summary>
    internal void Segment(double x1, double y1, double x2, double y2, string classes) => Add(
        $"<line x1=\"{Number(x1)}\" y1=\"{Number(y1)}\" x2=\"{Number(x2)}\" y2=\"{Number(y2)}\" class=\"{classes}\"/>");

    /// <summary>Writes a path.</summary>
    internal void Path(string data, string classes) => Add($"<path d=\"{data}\" class=\"{classes}\"/>");

    /// <summary>Writes a circle.</summary>
    internal void Circle(double x, double y, double radius, string classes) => Add(
        $"<circle cx=\"{Number(x)}\" cy=\"{Number(y)}\" r=\"{Number(radius)}\" class=\"{classes}\"/>");

    /// <summary>Writes a text.</summary>
    /// <param name="x">The x coordinate of its anchor.</param>
    /// <param name="y">The y coordinate of its baseline.</param>
    /// <param name="text">Any text.</param>
    /// <param name="anchor">What lies at x: start, middle or end.</param>
    /// <param name="classes">Its looks.</param>
    internal void Text(double x, double y, string text, string anchor, string classes) => Add(
        $"<text x=\"{Number(x)}\" y=\"{Number(y)}\" text-anchor=\"{anchor}\" class=\"{classes}\">{MarkupText.Of(text)}</text>");

    /// <summary>Ends the picture and gives it.</summary>
    internal string End()
    {
        Add("</svg>");
        return _text.ToString();
    }

    /// <summary>A coordinate.</summary>
    internal static string Number(double pixels) => pixels.ToString("0.#", CultureInfo.InvariantCulture);

    // The same line end on all systems, since the files are committed.
    private void Add(string line) => _text.Append(line).Append('\n');
}
