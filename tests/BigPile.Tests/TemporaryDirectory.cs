using System;
using System.IO;

namespace BigPile.Tests;

/// <summary>A directory that goes with the test.</summary>
internal sealed class TemporaryDirectory : IDisposable
{
    internal string Path { get; } = Directory.CreateTempSubdirectory("bigpile-pile-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
