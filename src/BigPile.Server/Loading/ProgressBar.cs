using System;
using System.IO;
using System.Threading;
using BigPile.Http.Bulk;

namespace BigPile.Server.Loading;

/// <summary>Displays the progress of a load on one line of a terminal, which it rewrites.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ProgressBar : IDisposable
{
    private const int Width = 30;
    private const int PeriodMs = 100;
    private const string ClearLine = "\r\x1b[K";

    private readonly Lock _lock = new();
    private readonly TextWriter _terminal;
    private readonly Func<double> _progress;
    private readonly LoadTally _tally;
    private readonly ITimer _timer;
    private bool _disposed;

    internal ProgressBar(TextWriter terminal, TimeProvider time, Func<double> progress, LoadTally tally)
    {
        _terminal = terminal;
        _progress = progress;
        _tally = tally;
        _timer = time.CreateTimer(static bar => ((ProgressBar)bar!).Draw(), this, TimeSpan.Zero, TimeSpan.FromMilliseconds(PeriodMs));
    }

    /// <summary>Writes a line above the bar.</summary>
    internal void WriteLine(string line)
    {
        lock (_lock)
            _terminal.WriteLine(ClearLine + line);
    }

    /// <summary>Clears the bar.</summary>
    public void Dispose()
    {
        _timer.Dispose();
        lock (_lock)
        {
            if (!_disposed)
                _terminal.Write(ClearLine);
            _disposed = true;
        }
    }

    private void Draw()
    {
        lock (_lock)
        {
            if (!_disposed)
                _terminal.Write(ClearLine + Describe(_progress(), _tally));
        }
    }

    private static string Describe(double progress, LoadTally tally)
    {
        int filled = (int)(Math.Clamp(progress, 0, 1) * Width);
        double perSecond = tally.Records / Math.Max(tally.Elapsed.TotalSeconds, 0.001);
        return $"[{new string('#', filled)}{new string('.', Width - filled)}] {progress,4:P0}  {Counted.Of(tally.Records, "record")}  "
            + $"{perSecond:N0}/s";
    }
}
