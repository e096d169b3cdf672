using System;
using System.IO;
using System.IO.MemoryMappedFiles;

namespace BigPile.Memory;

/// <summary>A region that is a file mapped into memory.</summary>
/// <remarks>
/// The file's space is allocated for real when it is made: a full disk is an exception then, and not a fatal signal at a later store.
/// The view's pointer is acquired once; no accessor is ever called.
/// </remarks>
public sealed unsafe class MappedRegion : MemoryRegion
{
    private const string UnfinishedSuffix = ".new";

    private readonly FileStream _file;
    private readonly MemoryMappedFile _map;
    private readonly MemoryMappedViewAccessor _view;

    private MappedRegion(FileStream file, long lengthBytes) : base(lengthBytes)
    {
        _file = file;
        MemoryMappedFileAccess access = file.CanWrite ? MemoryMappedFileAccess.ReadWrite : MemoryMappedFileAccess.Read;
        _map = MemoryMappedFile.CreateFromFile(file, null, lengthBytes, access, HandleInheritability.None, leaveOpen: true);
        _view = _map.CreateViewAccessor(0, lengthBytes, access);
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        SetStart(start + _view.PointerOffset);
    }

    /// <inheritdoc/>
    public override StoreKind Kind => StoreKind.Mapped;

    /// <summary>The path of the file.</summary>
    public string Path => _file.Name;

    /// <summary>Makes a file with all its space allocated, and maps it. A killed process leaves the whole file or none of that name.</summary>
    /// <param name="path">The file; replaced if it exists.</param>
    /// <param name="lengthBytes">The number of bytes, from 1.</param>
    /// <exception cref="IOException">The disk is full, or the directory can't be written.</exception>
    public static MappedRegion Create(string path, long lengthBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(lengthBytes);
        string unfinishedPath = path + UnfinishedSuffix;
        var options = new FileStreamOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Share = FileShare.ReadWrite | FileShare.Delete,
            BufferSize = 0,
            PreallocationSize = lengthBytes,
        };
        try
        {
            using (var file = new FileStream(unfinishedPath, options))
                file.SetLength(lengthBytes); // the preallocation leaves the length at zero; this keeps its blocks
            File.Move(unfinishedPath, path, overwrite: true);
        }
        catch (IOException)
        {
            File.Delete(unfinishedPath);
            throw;
        }
        return Open(path, lengthBytes);
    }

    /// <summary>Maps a file that exists.</summary>
    /// <param name="path">The file.</param>
    /// <param name="lengthBytes">The length that it must have.</param>
    /// <param name="readOnly">Map it for reading: a store through the region ends the process.</param>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    /// <exception cref="InvalidDataException">The file has another length.</exception>
    public static MappedRegion Open(string path, long lengthBytes, bool readOnly = false)
    {
        FileAccess access = readOnly ? FileAccess.Read : FileAccess.ReadWrite;
        var file = new FileStream(path, FileMode.Open, access, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
        try
        {
            if (file.Length != lengthBytes)
                throw new InvalidDataException($"The file '{path}' has {file.Length:N0} bytes; {lengthBytes:N0} are expected.");
            return new MappedRegion(file, lengthBytes);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    /// <remarks>On Linux by fdatasync, which takes what was stored through the map as well and walks no page tables, unlike msync.</remarks>
    public override void Flush()
    {
        if (!OperatingSystem.IsLinux())
            _view.Flush();
        DurableFile.Sync(_file);
    }

    /// <summary>Asks the system to read some of the file ahead; a hint that it may ignore.</summary>
    internal void ReadAhead(long offsetBytes, long lengthBytes)
    {
        if (OperatingSystem.IsLinux())
            _ = LibC.MemoryAdvise(Start + offsetBytes, (nuint)lengthBytes, LibC.AdviseWillNeed);
    }

    private protected override void Free()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _map.Dispose();
        _file.Dispose();
    }
}
