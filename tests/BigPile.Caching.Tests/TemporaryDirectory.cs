using System;
using System.IO;

namespace BigPile.Caching.Tests;

/// <summary>A directory that goes with the test.</summary>
internal sealed class TemporaryDirectory : IDisposable
{
    internal string Path { get; } = Directory.CreateTempSubdirectory("bigpile-table-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
