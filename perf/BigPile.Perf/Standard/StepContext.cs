using System.IO;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using System.Threading;
using BigPile.Perf.Restarts;

namespace BigPile.Perf.Standard;

/// <summary>What a load of the standard set works with.</summary>
internal sealed class StepContext
{
    private readonly string _title;
    private readonly string _directory;
    private readonly FigureBook _book;

    internal StepContext(string title, string directory, FigureBook book, CancellationToken stop)
    {
        _title = title;
        _directory = directory;
        _book = book;
        Stop = stop;
    }

    internal CancellationToken Stop { get; }

    /// <summary>Adds a figure of BigPile's.</summary>
    internal void Add(string chart, string series, double x, double figure) => _book.Add(chart, series, isBaseline: false, x, figure);

    /// <summary>Adds a figure of something else.</summary>
    internal void AddBaseline(string chart, string series, double x, double figure) =>
        _book.Add(chart, series, isBaseline: true, x, figure);

    /// <summary>Runs a command of the console in a process of its own.</summary>
    /// <typeparam name="T">What it prints with <c>--json</c>.</typeparam>
    /// <exception cref="LoadException">It failed; its own message is on the error output.</exception>
    internal T Measure<T>(JsonTypeInfo<T> type, params string[] arguments)
    {
        using WorkerProcess process = WorkerProcess.Start([.. arguments, "--json"]);
        using CancellationTokenRegistration _ = Stop.Register(process.Terminate);
        try
        {
            T report = JsonSerializer.Deserialize(process.ReadLine(), type)!;
            process.WaitUntilDone();
            return report;
        }
        catch (LoadException e)
        {
            Stop.ThrowIfCancellationRequested();
            throw new LoadException($"{_title}: {e.Message}", e);
        }
    }

    /// <summary>As the other one, with files in a directory that is empty before and gone after it.</summary>
    internal T MeasureMapped<T>(JsonTypeInfo<T> type, params string[] arguments)
    {
        try
        {
            return Measure(type, [.. arguments, "--dir", _directory]);
        }
        finally
        {
            if (Directory.Exists(_directory))
                Directory.Delete(_directory, recursive: true);
        }
    }
}
