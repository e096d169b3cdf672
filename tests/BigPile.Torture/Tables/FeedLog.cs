using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Caching;

namespace BigPile.Torture.Tables;

/// <summary>The file through which a child hands what it reads to the parent: where to begin in each table, and then frames.</summary>
/// <remarks>A kill leaves all frames but the last whole. A reader continues behind the last whole one.</remarks>
internal sealed class FeedLog : IDisposable
{
    private const int CursorsBytes = TableSet.RoleCount * 3 * sizeof(ulong);

    private readonly FileStream _file;
    private readonly Lock _lock = new(); // guards what follows
    private readonly MemoryStream _frame = new();

    private FeedLog(FileStream file) => _file = file;

    /// <summary>The parent begins it for the next child.</summary>
    internal static void Begin(string directory, IEnumerable<FeedCursor> cursors)
    {
        using var writer = new BinaryWriter(File.Create(PathOf(directory)));
        foreach (FeedCursor cursor in cursors)
            FeedFrame.WriteCursor(writer, cursor);
    }

    /// <summary>The child opens it.</summary>
    internal static FeedLog Open(string directory, out FeedCursor[] cursors)
    {
        var file = new FileStream(PathOf(directory), FileMode.Open, FileAccess.ReadWrite, FileShare.Read, bufferSize: 0);
        var reader = new BinaryReader(file);
        cursors = [.. Enumerable.Range(0, TableSet.RoleCount).Select(_ => FeedFrame.ReadCursor(reader))];
        return new FeedLog(file);
    }

    internal void Add(FeedFrame frame)
    {
        lock (_lock)
        {
            _frame.SetLength(0);
            var writer = new BinaryWriter(_frame);
            writer.Write(0);
            frame.WriteTo(writer);
            _frame.Position = 0;
            writer.Write((int)_frame.Length);
            _file.Write(_frame.GetBuffer(), 0, (int)_frame.Length);
        }
    }

    /// <summary>The parent reads it, once the child has ended.</summary>
    internal static IEnumerable<FeedFrame> Read(string directory)
    {
        byte[] all = File.ReadAllBytes(PathOf(directory));
        var reader = new BinaryReader(new MemoryStream(all));
        int length;
        for (int at = CursorsBytes; at + sizeof(int) <= all.Length; at += length)
        {
            length = BitConverter.ToInt32(all, at);
            if (length > all.Length - at)
                break;
            reader.BaseStream.Position = at + sizeof(int);
            yield return FeedFrame.ReadFrom(reader);
        }
    }

    internal static string PathOf(string directory) => Path.Combine(directory, "feed");

    public void Dispose() => _file.Dispose();
}
