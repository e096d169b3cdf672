using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Testing;

/// <summary>Keeps what was done to the files of a pile, in order; some of it may be refused.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class SeenOperations : IFileHook
{
    private readonly Lock _lock = new();
    private readonly List<(FileOperation Operation, string Name)> _all = [];

    /// <summary>Asked before an operation on a file of a name whether it is refused.</summary>
    internal Func<FileOperation, string, bool>? Refuses { get; init; }

    /// <summary>Called once an operation is done, before it is kept.</summary>
    internal Action<FileOperation, string>? Done { get; init; }

    internal bool HasRefused { get; private set; }

    internal List<(FileOperation Operation, string Name)> All
    {
        get
        {
            lock (_lock)
                return [.. _all];
        }
    }

    /// <summary>The names of what was written through; the directory's own among them.</summary>
    internal string[] WriteThroughs =>
        [.. All.Where(static one => one.Operation is FileOperation.Sync or FileOperation.SyncDirectory).Select(static one => one.Name)];

    public void Before(FileOperation operation, string path)
    {
        if (Refuses?.Invoke(operation, Path.GetFileName(path)) != true)
            return;
        HasRefused = true;
        throw new IOException("Refused by a test.");
    }

    public void After(FileOperation operation, string path)
    {
        Done?.Invoke(operation, Path.GetFileName(path));
        lock (_lock)
            _all.Add((operation, Path.GetFileName(path)));
    }
}
