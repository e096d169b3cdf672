using System.IO;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Reports;

/// <summary>A line for each phase, for logs of long runs where there is no terminal for bars.</summary>
internal sealed class LineProgress(TextWriter output) : ILoadProgress
{
    public void Begin(string phase, long total)
    {
        output.WriteLine(phase);
        output.Flush();
    }

    public void Report(long done)
    {
        // The phases are short beside the whole.
    }
}
