using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;

namespace BigPile.Perf.Traces;

/// <summary>Reads the file of a trace.</summary>
internal sealed class TraceFile
{
    private const int AccessesBetweenReports = 1 << 16;
    private const int RecordsAtOnce = 1 << 10;

    private readonly string _path;
    private readonly TraceFormat _format;
    private readonly byte[] _head;
    private readonly ILoadProgress _progress;
    private readonly CancellationToken _stop;
    private readonly TraceBuilder _trace = new();
    private int _nextReport;
    private string _place = "its start";

    private TraceFile(string path, TraceFormat? format, ILoadProgress progress, CancellationToken stop)
    {
        _path = path;
        _progress = progress;
        _stop = stop;
        _head = TraceContent.ReadHead(path);
        _format = format ?? TraceFormats.Detect(path, _head);
    }

    /// <summary>Reads a trace.</summary>
    /// <param name="path">The file.</param>
    /// <param name="format">Its format; <see langword="null"/> to tell it by the file.</param>
    /// <param name="progress">Is told how far it is.</param>
    /// <param name="stop">Stops it.</param>
    internal static Trace Read(string path, TraceFormat? format, ILoadProgress progress, CancellationToken stop)
    {
        TraceFile? file = null;
        try
        {
            file = new TraceFile(path, format, progress, stop);
            return file.Read();
        }
        catch (InvalidDataException e)
        {
            throw new LoadException($"'{path}' is damaged at {file?._place ?? "its start"}: {e.Message} Get it once more.", e);
        }
    }

    private Trace Read()
    {
        using var content = new TraceContent(_path);
        _progress.Begin("read", content.LengthBytes);
        TraceRecords? records = TraceRecords.Of(_format, _head);
        if (records != null)
            ReadRecords(content, records);
        else if (_format == TraceFormat.Vscsi)
            throw new LoadException($"'{_path}' does not begin with two commands of version 1 or 2. Give another --format.");
        else
            ReadLines(content);
        content.Finish();
        return _trace.Count == 0
            ? throw new LoadException($"'{_path}' is empty. A trace has an access at least.")
            : _trace.ToTrace(Path.GetFileName(_path));
    }

    private void ReadLines(TraceContent content)
    {
        using var lines = new StreamReader(content.Stream, Encoding.UTF8);
        TraceLines.Reading? reading = TraceLines.Of(_format);
        for (long number = 1; lines.ReadLine() is { } line; number++)
        {
            _place = string.Create(CultureInfo.InvariantCulture, $"line {number}");
            ReadOnlySpan<char> trimmed = _format == TraceFormat.Keys ? line : line.AsSpan().Trim();
            if (trimmed.IsEmpty)
                continue;
            if (reading == null)
                reading = ReadNames(line);
            else if (!reading(trimmed, _trace))
                throw Wrong();
            ReportProgress(content);
        }
    }

    private LoadException Wrong() =>
        new($"'{_path}' is wrong at {_place}. A line has {TraceLines.Describe(_format)}. Give another --format.");

    private TraceLines.Reading ReadNames(string line)
    {
        CsvFields? fields = CsvFields.Of(line);
        return fields != null
            ? fields.Read
            : throw new LoadException($"'{_path}' does not name a key in {_place}. Name a field there one of {CsvFields.Known}.");
    }

    private void ReadRecords(TraceContent content, TraceRecords records)
    {
        var buffer = new byte[RecordsAtOnce * records.SizeBytes];
        for (long number = 0; ; )
        {
            int read = content.Stream.ReadAtLeast(buffer, buffer.Length, throwOnEndOfStream: false);
            for (int start = 0; start + records.SizeBytes <= read; start += records.SizeBytes)
                records.Read(buffer.AsSpan(start, records.SizeBytes), _trace);
            number += read / records.SizeBytes;
            _place = string.Create(CultureInfo.InvariantCulture, $"record {number + 1}, byte {number * records.SizeBytes}");
            if (read % records.SizeBytes != 0)
                throw new InvalidDataException($"It ends in a record of {records.SizeBytes} bytes.");
            ReportProgress(content);
            if (read < buffer.Length)
                return;
        }
    }

    private void ReportProgress(TraceContent content)
    {
        if (_trace.Count < _nextReport)
            return;
        _nextReport = _trace.Count + AccessesBetweenReports;
        _stop.ThrowIfCancellationRequested();
        _progress.Report(content.DoneBytes);
    }
}

/// <summary>What the user names as a trace: a file, a directory of them, or one that is made.</summary>
internal static class TraceSource
{
    /// <summary>Names each trace by itself: of a directory all files below it that are traces by their names, in order.</summary>
    internal static IReadOnlyList<string> Expand(IEnumerable<string> names) => [.. names.SelectMany(Expand)];

    /// <summary>Reads or makes a trace.</summary>
    /// <inheritdoc cref="TraceFile.Read(string, TraceFormat?, ILoadProgress, CancellationToken)"/>
    internal static Trace Read(string name, TraceFormat? format, int seed, ILoadProgress progress, CancellationToken stop) =>
        SyntheticTrace.IsName(name) ? SyntheticTrace.Make(name, seed) : TraceFile.Read(name, format, progress, stop);

    private static IEnumerable<string> Expand(string name)
    {
        if (SyntheticTrace.IsName(name) || File.Exists(name))
            return [name];
        if (!Directory.Exists(name))
        {
            string made = string.Join(", ", SyntheticTrace.AllNames);
            throw new LoadException($"'{name}' does not exist. Name a file, a directory of files, or one of {made}.");
        }
        string[] files =
        [
            .. Directory.EnumerateFiles(name, "*", SearchOption.AllDirectories)
                .Where(TraceFormats.IsTraceName).Order(StringComparer.Ordinal),
        ];
        return files.Length != 0 ? files : throw new LoadException($"'{name}' has no file that is a trace by its name. Name the files.");
    }
}
