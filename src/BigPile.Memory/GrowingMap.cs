using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Threading;

namespace BigPile.Memory;

/// <summary>A mapped file that can grow; mapped memory never moves.</summary>
/// <remarks>
/// The first part is mapped as a whole from the start, even where the file does not reach that far yet; the rest is mapped as the file
/// grows. All of the file is really allocated, so a full disk is an exception and not a fatal signal at a later store. Where a map needs no
/// open file none is kept, since there may be thousands of maps. Thread safety: <see cref="EnsureLength"/> and <see cref="MapBehind"/> may
/// be called concurrently; <see cref="Dispose"/> only when the memory is no longer used.
/// </remarks>
internal sealed unsafe class GrowingMap : IDisposable
{
    private readonly Lock _growing = new();
    private readonly HeldDirectory _directory;
    private readonly string _name;
    private readonly FileStatus? _identity;
    private readonly HeldFile? _file; // null if not kept open
    private readonly MapUse _use;
    private readonly List<MemoryMappedViewAccessor> _views = [];
    private long _lengthBytes; // the length of the file; raised under _growing, read without it

    // Takes ownership of the file.
    private GrowingMap(HeldDirectory directory, string name, HeldFile file, long lengthBytes, long firstBytes, MapUse use)
    {
        Debug.Assert(lengthBytes != 0, "There is nothing to map.");
        _directory = directory;
        _name = name;
        _identity = FileStatus.Of(file.Handle);
        _use = use;
        _lengthBytes = lengthBytes;
        Start = Map(file, 0, Math.Max(lengthBytes, firstBytes));
        MappedBytes = Math.Max(lengthBytes, firstBytes);
        if (lengthBytes < firstBytes)
            Shorten(file, lengthBytes);
        if (OperatingSystem.IsLinux())
            file.Dispose();
        else
            _file = file;
    }

    /// <summary>The start of the first part.</summary>
    internal byte* Start { get; }

    /// <summary>The bytes mapped from <see cref="Start"/> on.</summary>
    internal long MappedBytes { get; }

    /// <summary>The length of the file. No store may go beyond it.</summary>
    internal long LengthBytes => Volatile.Read(ref _lengthBytes);

    /// <summary>Creates a file of zeros; replaces one of the same name.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="name">The name.</param>
    /// <param name="lengthBytes">The initial length of the file.</param>
    /// <param name="firstBytes">The bytes that are mapped from the start on; whole pages.</param>
    /// <param name="use">How it will be used.</param>
    /// <exception cref="IOException">The disk is full, or the directory can't be written.</exception>
    internal static GrowingMap Create(HeldDirectory directory, string name, long lengthBytes, long firstBytes, MapUse use = MapUse.Usual)
    {
        HeldFile file = directory.Open(name, FileMode.Create, FileAccess.ReadWrite);
        try
        {
            file.Extend(0, lengthBytes);
            return new GrowingMap(directory, name, file, lengthBytes, firstBytes, use);
        }
        catch
        {
            file.Dispose();
            directory.TryDelete(name);
            throw;
        }
    }

    /// <summary>Maps an existing file; null if there is none, or it is too short.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="name">The name.</param>
    /// <param name="leastBytes">The least length of the file.</param>
    /// <param name="mostBytes">The useful length: more is cut off, up to a whole step.</param>
    /// <param name="firstBytes">The bytes that are mapped from the start on; whole pages.</param>
    /// <param name="stepBytes">The growth step behind the first part.</param>
    /// <param name="use">How it will be used.</param>
    /// <exception cref="IOException">The disk is full, or the file can't be used.</exception>
    internal static GrowingMap? TryOpen(
        HeldDirectory directory, string name, long leastBytes, long mostBytes, long firstBytes, long stepBytes, MapUse use = MapUse.Usual)
    {
        HeldFile? file = directory.TryOpen(name, FileAccess.ReadWrite);
        try
        {
            long lengthBytes = file?.LengthBytes ?? 0;
            if (file == null || lengthBytes < leastBytes)
            {
                file?.Dispose();
                return null;
            }
            long wantedBytes = WholeSteps(Math.Min(lengthBytes, mostBytes), firstBytes, stepBytes);
            if (lengthBytes > wantedBytes)
                file.SetLength(lengthBytes = wantedBytes); // do not allocate more than is useful, whatever the length says
            file.Allocate(lengthBytes, isNew: false); // a copy may have holes where the original had space
            if (lengthBytes < wantedBytes)
                file.Extend(lengthBytes, wantedBytes);
            return new GrowingMap(directory, name, file, wantedBytes, firstBytes, use);
        }
        catch
        {
            file?.Dispose();
            throw;
        }
    }

    private static long WholeSteps(long lengthBytes, long firstBytes, long stepBytes) => lengthBytes > firstBytes
        ? firstBytes + Rounded(lengthBytes - firstBytes, stepBytes)
        : Rounded(lengthBytes, Environment.SystemPageSize);

    private static long Rounded(long lengthBytes, long step) => (lengthBytes + step - 1) / step * step;

    /// <summary>Grows the file to at least this length.</summary>
    /// <exception cref="IOException">The disk is full; the file is as it was.</exception>
    internal void EnsureLength(long lengthBytes)
    {
        lock (_growing)
        {
            if (lengthBytes <= _lengthBytes)
                return;
            WithFile(file => file.Extend(_lengthBytes, lengthBytes));
            Volatile.Write(ref _lengthBytes, lengthBytes);
        }
    }

    /// <summary>Maps a range behind the first part. The file is long enough.</summary>
    internal byte* MapBehind(long offsetBytes, long lengthBytes)
    {
        lock (_growing)
        {
            Debug.Assert(
                offsetBytes >= MappedBytes && offsetBytes + lengthBytes <= _lengthBytes, "What the file has, and is not mapped yet.");
            byte* start = null;
            WithFile(file => start = Map(file, offsetBytes, lengthBytes));
            return start;
        }
    }

    /// <summary>Syncs the file.</summary>
    /// <exception cref="IOException">The device refused.</exception>
    internal void Flush()
    {
        if (!OperatingSystem.IsLinux())
        {
            lock (_growing)
                _views.ForEach(static view => view.Flush());
        }
        WithFile(static file => file.Sync());
    }

    public void Dispose()
    {
        foreach (MemoryMappedViewAccessor view in _views)
        {
            view.SafeMemoryMappedViewHandle.ReleasePointer();
            view.Dispose();
        }
        _views.Clear();
        _file?.Dispose();
    }

    private void WithFile(Action<HeldFile> use)
    {
        if (_file != null)
        {
            use(_file);
            return;
        }
        using HeldFile? file = _directory.TryOpen(_name, FileAccess.ReadWrite);
        if (file == null || (_identity is { } identity && FileStatus.Of(file.Handle)?.IsSameFile(identity) != true))
            throw HeldFile.Gone(_directory.PathOf(_name));
        use(file);
    }

    private byte* Map(HeldFile file, long offsetBytes, long lengthBytes)
    {
        long capacityBytes = offsetBytes + lengthBytes > _lengthBytes ? offsetBytes + lengthBytes : 0; // 0: as long as the file
        MemoryMappedViewAccessor view = file.MapView(capacityBytes, offsetBytes, lengthBytes);
        byte* start = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        _views.Add(view);
        start += view.PointerOffset;
        if (_use != MapUse.Usual && OperatingSystem.IsLinux())
        {
            int advice = _use == MapUse.Large ? LibC.AdviseHugePage : LibC.AdviseRandom;
            _ = LibC.MemoryAdvise(start, (nuint)lengthBytes, advice); // a refusal only costs speed, or memory
        }
        return start;
    }

    // To map more than a file has, the runtime extends it without disk space: shorten it again.
    private void Shorten(HeldFile file, long lengthBytes)
    {
        if (OperatingSystem.IsWindows())
            _lengthBytes = MappedBytes; // a mapped file can't be shortened there, and has no holes
        else
            file.SetLength(lengthBytes);
    }
}

/// <summary>How a mapped file will be used.</summary>
internal enum MapUse
{
    /// <summary>No special pattern.</summary>
    Usual,

    /// <summary>Random access to all of it: huge pages, if the file system grants them.</summary>
    Large,

    /// <summary>Few pages: no read-ahead, which would take memory.</summary>
    Few,
}
