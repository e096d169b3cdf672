using System;
using System.IO;

namespace BigPile.Tests;

/// <summary>A test of the files of a mapped pile.</summary>
public abstract class MappedDirectoryTest : IDisposable
{
    protected const long SegmentBytes = 4 << 20;

    private readonly TemporaryDirectory _temporary = new();

    /// <summary>Where the test may keep what it likes.</summary>
    protected string RootPath => _temporary.Path;

    protected string DirectoryPath => Path.Combine(RootPath, "pile");

    public void Dispose()
    {
        _temporary.Dispose();
        GC.SuppressFinalize(this);
    }

    protected Pile Open() => Pile.Open(DirectoryPath, new PileOptions { SegmentBytes = SegmentBytes });
}
