using System;
using System.IO;
using System.Text;

namespace BigPile.Server.Tests.Support;

/// <summary>A directory that goes with the test.</summary>
internal sealed class TemporaryDirectory : IDisposable
{
    internal string Root { get; } = Directory.CreateTempSubdirectory("bigpile-server-").FullName;

    /// <summary>A place for a pile.</summary>
    internal string Pile => Path.Combine(Root, "pile");

    internal string Write(string name, byte[] content)
    {
        string path = Path.Combine(Root, name);
        File.WriteAllBytes(path, content);
        return path;
    }

    internal string Write(string name, string content) => Write(name, Encoding.UTF8.GetBytes(content));

    public void Dispose() => Directory.Delete(Root, recursive: true);
}
