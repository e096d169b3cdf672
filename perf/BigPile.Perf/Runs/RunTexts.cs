using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace BigPile.Perf.Runs;

/// <summary>Checks texts of a result file, which may come from elsewhere: a terminal or page must show each text as it is.</summary>
internal static class RunTexts
{
    private const int MaxLength = 4096;

    /// <summary>The first text that does not show as it is, as a sentence that begins with its place.</summary>
    internal static string? FindFault(RunFile run) => TextsOf(run).Select(FaultOf).FirstOrDefault(static fault => fault != null);

    /// <summary>Replaces characters that are invisible or change how others are shown.</summary>
    internal static string Sanitize(string text)
    {
        if (!text.EnumerateRunes().Any(IsHidden))
            return text;
        var sanitized = new StringBuilder();
        foreach (Rune rune in text.EnumerateRunes())
            sanitized.Append((IsHidden(rune) ? Rune.ReplacementChar : rune).ToString());
        return sanitized.ToString();
    }

    private static string? FaultOf((string Place, string? Text) named)
    {
        if (named.Text is not { } text)
            return null; // null is checked where the text is used
        if (text.Length > MaxLength)
            return $"{named.Place}: it has {text.Length} characters, and may have {MaxLength}.";
        int at = 0;
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (IsHidden(rune))
                return string.Create(CultureInfo.InvariantCulture, $"{named.Place}: its character {at}, U+{rune.Value:X4}, does not show.");
            at += rune.Utf16SequenceLength;
        }
        return null;
    }

    private static IEnumerable<(string Place, string? Text)> TextsOf(RunFile run)
    {
        yield return ("commit", run.Commit);
        foreach ((string Name, string Text) part in PartsOf(run.Machine))
            yield return ($"machine, {part.Name}", part.Text);
        foreach ((string name, string value) in run.Options)
        {
            yield return ("the name of an option", name);
            yield return ($"options, {name}", value);
        }
        foreach ((int number, RunChart? chart) in run.Charts.Index())
        {
            foreach ((string Name, string? Text) part in PartsOf(chart))
                yield return ($"charts[{number}], {part.Name}", part.Text);
        }
    }

    private static IEnumerable<(string Name, string Text)> PartsOf(RunMachine machine) =>
    [
        ("processor", machine.Processor), ("system", machine.System), ("runtime", machine.Runtime), ("collector", machine.Collector),
    ];

    private static IEnumerable<(string Name, string? Text)> PartsOf(RunChart? chart)
    {
        if (chart == null)
            return [];
        IEnumerable<(string Name, string? Text)> series = chart.Series.Select(static (one, number) =>
            ($"series[{number}], name", one?.Name));
        return
        [
            ("title", chart.Title), ("howMade", chart.HowMade), ("x, label", chart.X.Label), ("x, unit", chart.X.Unit),
            ("y, label", chart.Y.Label), ("y, unit", chart.Y.Unit), .. series,
        ];
    }

    // Control characters, direction marks, zero-width characters and unpaired surrogates.
    private static bool IsHidden(Rune rune) =>
        rune == Rune.ReplacementChar || Rune.GetUnicodeCategory(rune) is UnicodeCategory.Control or UnicodeCategory.Format
            or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator or UnicodeCategory.PrivateUse;
}
