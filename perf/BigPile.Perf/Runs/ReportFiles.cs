using System.Collections.Generic;
using System.IO;
using BigPile.Perf.Charts;

namespace BigPile.Perf.Runs;

/// <summary>The files of a report.</summary>
internal static class ReportFiles
{
    /// <summary>The run itself.</summary>
    internal const string Result = "run.json";

    private const string Page = "report.html";

    /// <summary>Draws a run: its page, and each chart. What was drawn there before is replaced.</summary>
    /// <returns>The files' paths.</returns>
    internal static IReadOnlyList<string> Draw(RunFile run, string directory)
    {
        var paths = new List<string> { Write(directory, Page, ReportPage.Of(run)) };
        foreach (RunChart chart in run.Charts)
            paths.Add(Write(directory, chart.Id + ".svg", SvgChart.StandAlone(chart)));
        return paths;
    }

    private static string Write(string directory, string name, string text)
    {
        string path = Path.Combine(directory, name);
        File.WriteAllText(path, text);
        return path;
    }
}
