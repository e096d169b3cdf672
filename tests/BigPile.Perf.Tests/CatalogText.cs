using System;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Text;
using System.Text.Json;

namespace BigPile.Perf.Tests;

/// <summary>A small catalog in a file of its own.</summary>
internal sealed class CatalogText : IDisposable
{
    private CatalogText(string path) => Path = path;

    internal string Path { get; }

    /// <summary>Writes lines as they are.</summary>
    internal static CatalogText Of(params string[] lines) => Write(lines, content => content);

    /// <summary>Writes lines, compressed.</summary>
    internal static CatalogText Compressed(params string[] lines) =>
        Write(lines, content => new GZipStream(content, CompressionLevel.Fastest));

    /// <summary>A line of a catalog.</summary>
    internal static string Line(string id, params string[] depends) => JsonSerializer.Serialize(new
    {
        id,
        version = "1.0-1",
        architecture = "all",
        section = "misc",
        priority = "optional",
        installedSizeKiB = 10,
        sizeBytes = 1000,
        description = $"The package {id}",
        depends,
        recommends = new[] { "ignored" },
        sha256 = string.Concat(Enumerable.Repeat("0123456789abcdef", 4)),
    });

    public void Dispose() => File.Delete(Path);

    private static CatalogText Write(string[] lines, Func<Stream, Stream> wrap)
    {
        string path = System.IO.Path.GetTempFileName();
        using Stream content = wrap(File.Create(path));
        content.Write(Encoding.UTF8.GetBytes(string.Join('\n', lines)));
        return new CatalogText(path);
    }
}
