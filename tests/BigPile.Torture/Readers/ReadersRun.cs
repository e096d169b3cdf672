using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using BigPile.Checking;

namespace BigPile.Torture.Readers;

/// <summary>
/// The parent: one process writes a pile, others read it without writing anything, and each value says whether it is whole.
/// </summary>
/// <remarks>
/// The writer can be killed again and again, and then waits often in one of its windows; the readers stay, and go on with the next one. The
/// values are such that no checksum tells a mixture from a whole one, so what is counted is what the protocol of reading lets through. A
/// control leaves one of its checks out, and must end with mixtures.
/// </remarks>
internal sealed unsafe class ReadersRun : IDisposable
{
    private const int PollMs = 20;
    private const int TimeoutMs = 300_000;

    private readonly ReadersOptions _options;
    private readonly string _directory;
    private readonly Board _board;
    private readonly Dice _dice;
    private readonly List<Process> _readers = [];
    private Process? _writer;
    private int _killed;
    private int _readersKilled;
    private bool _isBroken;

    private ReadersRun(ReadersOptions options, string directory)
    {
        _options = options;
        _directory = directory;
        _board = Board.Create(directory);
        _board.Head->IsShared = options.IsShared ? 1 : 0;
        _dice = new Dice(options.Seed);
    }

    internal static int Run(ReadersOptions options)
    {
        string directory = Path.GetFullPath(options.Directory ?? Path.Combine(
            options.IsShared ? "/dev/shm" : Path.GetTempPath(),
            string.Create(CultureInfo.InvariantCulture, $"bigpile-readers-{Environment.ProcessId}")));
        Directory.CreateDirectory(directory);
        Console.WriteLine(
            $"seed {options.Seed}, readers {options.Readers}, writer threads {options.Writers}, kills {options.Kills}, "
            + $"readers killed {options.ReaderKills}, shared {options.IsShared}, "
            + $"control {(options.Control.Length == 0 ? "none" : options.Control)}, directory {directory}");
        using var run = new ReadersRun(options, directory);
        bool isSound = run.RunAll();
        if (isSound)
            Directory.Delete(directory, recursive: true);
        return isSound ? 0 : 1;
    }

    public void Dispose() => _board.Dispose();

    // A control has done its part with the first thing that is found.
    private bool IsNoticed => _options.Control.Length != 0
        && Sum(record => record.Mixtures + (_options.IsShared ? record.Refused : 0)) != 0;

    private bool IsDone => _killed >= _options.Kills && _readersKilled >= _options.ReaderKills
        && Sum(static record => record.Reads) >= _options.Reads;

    private bool RunAll()
    {
        try
        {
            StartWriter();
            for (int i = 0; i < _options.Readers; i++)
                _readers.Add(StartReader(i));
            var watch = Stopwatch.StartNew();
            while (!_isBroken && !IsDone && !IsNoticed)
                Watch();
            double seconds = watch.Elapsed.TotalSeconds;
            _board.End();
            EndAll();
            return Report(seconds);
        }
        finally
        {
            foreach (Process child in _readers.Append(_writer!).Where(static child => child is { HasExited: false }))
                child.Kill();
        }
    }

    private Process StartReader(int number)
    {
        ulong seed = _options.Seed + (ulong)(number + 1 + _readersKilled * Board.MaxReaders);
        return Children.Start(Children.ReadVerb, _directory, seed, number, _options.Control);
    }

    private void StartWriter()
    {
        string point = _options.Kills == 0 ? "" : ((CrashPoint)(_dice.Next((int)CrashPoint.End - 1) + 1)).ToString();
        _writer = Children.Start(Children.WriteVerb, _directory, _options.Seed + (ulong)_killed * 1_000, _options.Writers, point);
        var watch = Stopwatch.StartNew();
        while (_board.Head->IsReady <= _killed && !_writer.WaitForExit(1) && watch.ElapsedMilliseconds < TimeoutMs)
        {
        }
        if (_board.Head->IsReady <= _killed)
            Break("the writer did not come so far that it writes");
    }

    // Kills are spread over the run; the pile lies without a writer for a while.
    private void Watch()
    {
        if (_killed < _options.Kills && HasReadFor(_killed + 1, _options.Kills))
        {
            Wait(_dice.Next(50));
            _writer!.Kill();
            _writer.WaitForExit();
            _killed++;
            Wait(_dice.Next(100));
            StartWriter();
            return;
        }
        if (_readersKilled < _options.ReaderKills && HasReadFor(_readersKilled + 1, _options.ReaderKills))
        {
            int number = _readersKilled++ % _readers.Count;
            _readers[number].Kill();
            _readers[number].WaitForExit();
            _readers[number].Dispose();
            _readers[number] = StartReader(number);
            return;
        }
        Wait(PollMs);
        if (_writer!.HasExited)
            Break($"the writer ended with exit code {_writer.ExitCode}");
        foreach (Process reader in _readers.Where(static reader => reader.HasExited))
            Break($"a reader ended with exit code {reader.ExitCode}");
    }

    // Some kill of all comes when its share of the reads was made.
    private bool HasReadFor(int kill, int kills) => Sum(static record => record.Reads) >= _options.Reads / (kills + 1) * kill;

    private void Wait(int milliseconds) =>
        _ = _readers.Count == 0 ? _writer!.WaitForExit(milliseconds) : _readers[0].WaitForExit(milliseconds);

    private void EndAll()
    {
        foreach (Process child in _readers.Append(_writer!))
        {
            if (!child.WaitForExit(TimeoutMs))
                Break("a process does not end");
            else if (child.ExitCode != 0)
                Break($"a process ended with exit code {child.ExitCode}");
        }
    }

    private void Break(string why)
    {
        Console.WriteLine($"  WRONG: {why}");
        _isBroken = true;
    }

    private bool Report(double seconds)
    {
        long reads = Sum(static record => record.Reads);
        long mixtures = Sum(static record => record.Mixtures);
        long refused = Sum(static record => record.Refused) + (_isBroken ? 1 : 0);
        long faults = _board.Head->WriterFaults;
        Console.WriteLine(
            $"in {seconds:F1} s: changes {_board.Head->Changes:N0}, deleted pointers asked for {Sum(static record => record.Gone):N0}, "
            + $"walks {Sum(static record => record.Walks):N0} with {Sum(static record => record.Entries):N0} table entries, "
            + $"writers killed {_killed}, readers killed {_readersKilled}, "
            + $"reads that found a writer at it {Sum(static record => record.Busy):N0}; "
            + $"{reads / seconds / 1e6:F1} M reads/s");
        Console.WriteLine($"reads {reads}, mixtures {mixtures}, refused {refused}, writer faults {faults}");
        return mixtures + refused + faults == 0;
    }

    private long Sum(Func<ReaderRecord, long> part)
    {
        long sum = 0;
        for (int i = 0; i < _options.Readers; i++)
            sum += part(*_board.RecordAt(i));
        return sum;
    }
}
