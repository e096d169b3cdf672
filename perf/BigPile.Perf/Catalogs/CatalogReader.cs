using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Json;
using System.Threading;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Catalogs;

/// <summary>Reads a catalog: a JSON object on each line, plain or compressed.</summary>
internal static class CatalogReader
{
    private const int LinesPerReport = 1024;

    /// <summary>Reads all packages, in the file's order.</summary>
    /// <exception cref="LoadException">A line is no package; the message has its number.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static List<CatalogEntry> Read(string path, ILoadProgress progress, CancellationToken stop)
    {
        using var file = new CatalogFile(path);
        progress.Begin("read the catalog", file.LengthBytes);
        try
        {
            List<CatalogEntry> entries = ReadLines(file, progress, stop);
            return entries.Count > 0
                ? entries
                : throw new LoadException($"'{path}' is empty. Name a file with a JSON object on each line.");
        }
        catch (Exception e) when (e is JsonException or InvalidDataException)
        {
            throw new LoadException($"'{path}', line {file.LineNumber}: {Sentence(e.Message)}", e);
        }
    }

    private static List<CatalogEntry> ReadLines(CatalogFile file, ILoadProgress progress, CancellationToken stop)
    {
        var entries = new List<CatalogEntry>();
        while (file.ReadLine() is { } line)
        {
            stop.ThrowIfCancellationRequested();
            entries.Add(ReadEntry(line));
            if (file.LineNumber % LinesPerReport == 0)
                progress.Report(file.DoneBytes);
        }
        return entries;
    }

    private static CatalogEntry ReadEntry(string line)
    {
        CatalogRecord record = JsonSerializer.Deserialize(line, CatalogJson.Default.CatalogRecord)
            ?? throw new JsonException("a JSON object is needed, not null.");
        if (Array.IndexOf(record.Tags, null) >= 0)
            throw new JsonException("a tag is null.");
        return new CatalogEntry(record, Array.ConvertAll(record.Depends, ReadDependency));
    }

    private static DependencyTerm[] ReadDependency(string text) => DependencyText.TryParse(text, out DependencyTerm[]? terms)
        ? terms
        : throw new JsonException($"the dependency '{text}' is not of the form: name[:architecture] [(operator version)] [| another].");

    // The parser counts lines too, but it sees one at a time: its "LineNumber: 0" would contradict ours.
    private static string Sentence(string message)
    {
        int end = message.IndexOf(" | LineNumber", StringComparison.Ordinal);
        return end < 0 ? message : message[..end] + ".";
    }
}
