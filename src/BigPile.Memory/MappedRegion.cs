using System;
using System.IO;
using System.IO.MemoryMappedFiles;

namespace BigPile.Memory;

/// <summary>A region that is a file mapped into memory.</summary>
/// <remarks>
/// The file's disk space is really allocated at creation: a full disk is an exception then, and not a fatal signal at a later store. The
/// view's pointer is acquired once; no accessor is called.
/// </remarks>
public sealed unsafe class MappedRegion : MemoryRegion
{
    private const string UnfinishedSuffix = ".new";

    private readonly HeldFile _file;
    private readonly MemoryMappedViewAccessor _view;

    private MappedRegion(HeldFile file, long lengthBytes) : base(lengthBytes)
    {
        _file = file;
        _view = file.MapView(lengthBytes, 0, lengthBytes);
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        SetStart(start + _view.PointerOffset);
    }

    /// <inheritdoc/>
    public override StoreKind Kind => StoreKind.Mapped;

    /// <summary>The path of the file.</summary>
    public string Path => _file.Path;

    /// <summary>Creates a file with all its space allocated, and maps it. A kill leaves the whole file, or none of that name.</summary>
    /// <param name="path">The file; replaced if it exists.</param>
    /// <param name="lengthBytes">The number of bytes, from 1.</param>
    /// <exception cref="IOException">The disk is full, or the directory can't be written.</exception>
    public static MappedRegion Create(string path, long lengthBytes)
    {
        using HeldDirectory directory = HeldDirectory.Open(DirectoryOf(path));
        return Create(directory, System.IO.Path.GetFileName(path), lengthBytes);
    }

    /// <summary>As <see cref="Create(string, long)"/>, in an open directory.</summary>
    internal static MappedRegion Create(HeldDirectory directory, string name, long lengthBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(lengthBytes);
        HeldFile? file = null;
        try
        {
            file = directory.Open(name + UnfinishedSuffix, FileMode.Create, FileAccess.ReadWrite, lengthBytes);
            file.Allocate(lengthBytes, isNew: true);
            directory.Rename(file, name);
            return new MappedRegion(file, lengthBytes);
        }
        catch
        {
            file?.Dispose();
            directory.TryDelete(file == null ? name + UnfinishedSuffix : System.IO.Path.GetFileName(file.Path));
            throw;
        }
    }

    /// <summary>Maps an existing file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="lengthBytes">The length that it must have.</param>
    /// <param name="readOnly">Map for reading only: a store to the region ends the process.</param>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    /// <exception cref="InvalidDataException">The file has another length.</exception>
    public static MappedRegion Open(string path, long lengthBytes, bool readOnly = false)
    {
        using HeldDirectory directory = HeldDirectory.Open(DirectoryOf(path));
        return Open(directory, System.IO.Path.GetFileName(path), lengthBytes, readOnly);
    }

    /// <summary>As <see cref="Open(string, long, bool)"/>, in an open directory.</summary>
    /// <remarks>
    /// A copy may have holes where the original had space: if the file is to be written, the space is allocated before anything can be
    /// stored.
    /// </remarks>
    internal static MappedRegion Open(HeldDirectory directory, string name, long lengthBytes, bool readOnly)
    {
        HeldFile file = directory.Open(name, FileMode.Open, readOnly ? FileAccess.Read : FileAccess.ReadWrite);
        try
        {
            if (file.LengthBytes is var foundBytes && foundBytes != lengthBytes)
                throw new InvalidDataException($"The file '{file.Path}' has {foundBytes:N0} bytes; {lengthBytes:N0} are expected.");
            if (!readOnly)
                file.Allocate(lengthBytes, isNew: false);
            return new MappedRegion(file, lengthBytes);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    /// <remarks>On Linux by fdatasync: it also writes what was stored through the map, and walks no page tables, unlike msync.</remarks>
    public override void Flush()
    {
        if (!OperatingSystem.IsLinux())
            _view.Flush();
        _file.Sync();
    }

    /// <summary>Asks the system to read part of the file ahead; only a hint.</summary>
    internal void ReadAhead(long offsetBytes, long lengthBytes)
    {
        if (OperatingSystem.IsLinux())
            _ = LibC.MemoryAdvise(Start + offsetBytes, (nuint)lengthBytes, LibC.AdviseWillNeed);
    }

    private protected override void Free()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        // By its handle: the view would write what was stored to the disk first (msync), also of a file that is removed next.
        _view.SafeMemoryMappedViewHandle.Dispose();
        _view.Dispose();
        _file.Dispose();
    }

    private static string DirectoryOf(string path) => System.IO.Path.GetDirectoryName(System.IO.Path.GetFullPath(path))!;
}
