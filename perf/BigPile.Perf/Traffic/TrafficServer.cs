using System;
using System.Diagnostics;
using System.Net;
using System.Threading;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Traffic;

/// <summary>The server under load: one process after another over the same pile.</summary>
/// <remarks>Thread safety: <see cref="WaitForNext"/> may be called by any number of threads, all else by one.</remarks>
internal sealed class TrafficServer : IDisposable
{
    private readonly object _lock = new();
    private readonly string _directory;
    private ServerProcess _process;
    private int _generation;
    private bool _isRestarting;
    private bool _isOver;

    internal TrafficServer(string directory)
    {
        _directory = directory;
        _process = ServerProcess.Start(directory);
    }

    internal ServerProcess Process => _process;

    internal IPEndPoint Address => _process.Address;

    /// <summary>Whether the server is ending or starting, so that it may refuse requests.</summary>
    internal bool IsRestarting => Volatile.Read(ref _isRestarting);

    /// <summary>Ends the server while the clients go on asking it, and starts another one.</summary>
    internal TrafficRestart Restart(bool isClean)
    {
        Volatile.Write(ref _isRestarting, true);
        long start = Stopwatch.GetTimestamp();
        if (isClean)
            _process.Stop();
        else
            _process.Kill();
        TimeSpan stopped = Stopwatch.GetElapsedTime(start);
        _process.Dispose();
        start = Stopwatch.GetTimestamp();
        var next = ServerProcess.Start(_directory);
        TimeSpan started = Stopwatch.GetElapsedTime(start);
        lock (_lock)
        {
            _process = next;
            _generation++;
            Volatile.Write(ref _isRestarting, false);
            Monitor.PulseAll(_lock);
        }
        return new TrafficRestart(
            isClean ? "SIGTERM" : "SIGKILL", Math.Round(stopped.TotalSeconds, 3), Math.Round(started.TotalSeconds, 3));
    }

    /// <summary>Gives the server that came after one, and waits for it while there is a restart.</summary>
    /// <param name="generation">The one that was lost, and then the one that is given.</param>
    /// <exception cref="LoadException">Nobody restarts it: the server broke the connection by itself.</exception>
    internal IPEndPoint WaitForNext(ref int generation)
    {
        lock (_lock)
        {
            while (_isRestarting && _generation == generation && !_isOver)
                Monitor.Wait(_lock);
            if (_generation == generation)
                throw new LoadException("The server closed a connection that it should have kept.");
            generation = _generation;
            return _process.Address;
        }
    }

    /// <summary>Releases all waiting clients.</summary>
    internal void GiveUp()
    {
        lock (_lock)
        {
            _isOver = true;
            Monitor.PulseAll(_lock);
        }
    }

    public void Dispose() => _process.Dispose();
}
