using System;
using System.IO;
using System.Text;

namespace BigPile.Testing;

/// <summary>A directory that goes with the test.</summary>
internal sealed class TemporaryDirectory : IDisposable
{
    internal string Path { get; } = Directory.CreateTempSubdirectory("bigpile-test-").FullName;

    /// <summary>A place for a pile.</summary>
    internal string Pile => System.IO.Path.Combine(Path, "pile");

    /// <summary>Writes a file.</summary>
    /// <returns>Its path.</returns>
    internal string Write(string name, byte[] content)
    {
        string path = System.IO.Path.Combine(Path, name);
        File.WriteAllBytes(path, content);
        return path;
    }

    /// <inheritdoc cref="Write(string, byte[])"/>
    internal string Write(string name, string content) => Write(name, Encoding.UTF8.GetBytes(content));

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
