using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Threading;

namespace BigPile.Perf.Catalogs;

/// <summary>Reads a catalog: a JSON object on each line, plain or compressed.</summary>
internal static class CatalogReader
{
    private const int LinesPerReport = 1024;

    /// <summary>Reads all packages, in the file's order.</summary>
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

/// <summary>One line of a catalog. Fields that it has beyond these are skipped.</summary>
internal sealed record CatalogRecord
{
    public required string Id { get; init; } // the package's name. A catalog may have it in several versions
    public required string Version { get; init; }
    public required string Architecture { get; init; }
    public required string Section { get; init; }
    public required string Priority { get; init; }
    public string? Homepage { get; init; }
    public required long InstalledSizeKiB { get; init; }
    public required long SizeBytes { get; init; }
    public required string Description { get; init; }

    // Not init: generated readers set such properties in any case, and an absent one would become null.
    public string[] Depends { get; set; } = [];
    public string[] Tags { get; set; } = [];
    public required string Sha256 { get; init; }
}

/// <summary>A package of the catalog, with its dependencies parsed: each of them a list of alternatives.</summary>
internal sealed record CatalogEntry(CatalogRecord Record, DependencyTerm[][] Dependencies);

/// <summary>Reads the lines of a text file, plain or compressed, as its first two bytes say.</summary>
internal sealed class CatalogFile : IDisposable
{
    private const int BufferBytes = 1 << 16;

    private static readonly byte[] GzipMagic = [0x1f, 0x8b];

    private readonly FileStream _file;
    private readonly StreamReader _reader;

    internal CatalogFile(string path)
    {
        _file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, BufferBytes, FileOptions.SequentialScan);
        try
        {
            Stream content = IsGzip(_file) ? new GZipStream(_file, CompressionMode.Decompress) : _file;
            _reader = new StreamReader(content, Encoding.UTF8, detectEncodingFromByteOrderMarks: true, BufferBytes);
        }
        catch
        {
            _file.Dispose();
            throw;
        }
    }

    /// <summary>The size of the file on disk in bytes.</summary>
    internal long LengthBytes => _file.Length;

    /// <summary>The bytes of it that were read.</summary>
    internal long DoneBytes => _file.Position;

    /// <summary>The number of the line that was read last, from 1.</summary>
    internal int LineNumber { get; private set; }

    /// <summary>Reads a line; <see langword="null"/> after the last one.</summary>
    internal string? ReadLine()
    {
        LineNumber++;
        return _reader.ReadLine();
    }

    public void Dispose() => _reader.Dispose();

    private static bool IsGzip(FileStream file)
    {
        Span<byte> head = stackalloc byte[GzipMagic.Length];
        bool isGzip = file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false) == head.Length && head.SequenceEqual(GzipMagic);
        file.Position = 0;
        return isGzip;
    }
}

/// <summary>Reads records.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(CatalogRecord))]
internal sealed partial class CatalogJson : JsonSerializerContext;
