using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Threading;

namespace BigPile.Memory;

/// <summary>A region that is a file mapped into memory.</summary>
/// <remarks>
/// The file's disk space is really allocated before anything is stored there, in most files at their creation: a full disk is an exception
/// then, and not a fatal signal at the store. The view's pointer is acquired once; no accessor is called.
/// </remarks>
public sealed unsafe class MappedRegion : MemoryRegion
{
    /// <summary>What the name of a file ends with until all its first bytes have space.</summary>
    internal const string UnfinishedSuffix = ".new";


    // Space is allocated in multiples of it: a store has the system look for space for the whole folio of its page cache, up to 2 MiB.
    private const long StepBytes = 2 << 20;
    private const long MostBytesAtOnce = 16 << 20;
    private const int UsualPageBytes = 4096; // with larger ones folios are larger, too

    private readonly HeldFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private readonly bool _isNew; // else bytes that were stored by an earlier owner may be behind those that are allocated
    private readonly Lock _allocating = new();
    private long _allocatedBytes; // written under the lock

    private MappedRegion(HeldFile file, long lengthBytes, long allocatedBytes, bool isNew) : base(lengthBytes)
    {
        _file = file;
        _isNew = isNew;
        _allocatedBytes = allocatedBytes;
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
    /// <param name="directory">The directory.</param>
    /// <param name="name">The file.</param>
    /// <param name="lengthBytes">The number of bytes, from 1.</param>
    /// <param name="allocatedBytes">How many of them get space now, where the system has sparse files.</param>
    internal static MappedRegion Create(HeldDirectory directory, string name, long lengthBytes, long allocatedBytes = long.MaxValue)
    {
        long firstBytes = FirstBytesOf(lengthBytes, allocatedBytes);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(lengthBytes);
        HeldFile? file = null;
        try
        {
            file = directory.Open(name + UnfinishedSuffix, FileMode.Create, FileAccess.ReadWrite, lengthBytes);
            file.Allocate(firstBytes, isNew: true);
            if (firstBytes < lengthBytes)
                file.SetLength(lengthBytes);
            directory.Rename(file, name);
            return new MappedRegion(file, lengthBytes, firstBytes, isNew: true);
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
    /// <param name="directory">The directory.</param>
    /// <param name="name">The file.</param>
    /// <param name="lengthBytes">The length that it must have.</param>
    /// <param name="readOnly">Map for reading only.</param>
    /// <param name="allocatedBytes">How many bytes get space now, where the system has sparse files.</param>
    internal static MappedRegion Open(
        HeldDirectory directory, string name, long lengthBytes, bool readOnly, long allocatedBytes = long.MaxValue)
    {
        long firstBytes = FirstBytesOf(lengthBytes, readOnly ? long.MaxValue : allocatedBytes);
        HeldFile file = directory.Open(name, FileMode.Open, readOnly ? FileAccess.Read : FileAccess.ReadWrite);
        try
        {
            if (file.LengthBytes is var foundBytes && foundBytes != lengthBytes)
                throw new InvalidDataException($"The file '{file.Path}' has {foundBytes:N0} bytes; {lengthBytes:N0} are expected.");
            if (!readOnly)
                file.Allocate(firstBytes, isNew: false);
            return new MappedRegion(file, lengthBytes, firstBytes, isNew: false);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    internal override long AllocatedBytes => Volatile.Read(ref _allocatedBytes);

    /// <inheritdoc/>
    /// <remarks>And more ahead, the more there is, as long as the disk has it. Any thread may call it.</remarks>
    internal override void Allocate(long bytes)
    {
        if (bytes <= AllocatedBytes)
            return;
        lock (_allocating)
        {
            if (bytes <= _allocatedBytes)
                return;
            long leastBytes = RoundUp(bytes, LengthBytes);
            long toBytes = Math.Max(leastBytes, RoundUp(_allocatedBytes + Math.Min(_allocatedBytes, MostBytesAtOnce), LengthBytes));
            try
            {
                _file.AllocateMore(_allocatedBytes, toBytes, _isNew);
            }
            catch (IOException) when (toBytes > leastBytes)
            {
                toBytes = leastBytes;
                _file.AllocateMore(_allocatedBytes, toBytes, _isNew);
            }
            Volatile.Write(ref _allocatedBytes, toBytes);
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

    private static long FirstBytesOf(long lengthBytes, long allocatedBytes) =>
        OperatingSystem.IsLinux() && Environment.SystemPageSize == UsualPageBytes ? RoundUp(allocatedBytes, lengthBytes) : lengthBytes;

    private static long RoundUp(long bytes, long lengthBytes) =>
        bytes >= lengthBytes ? lengthBytes : Math.Min(lengthBytes, (bytes + StepBytes - 1) / StepBytes * StepBytes);

    private static string DirectoryOf(string path) => System.IO.Path.GetDirectoryName(System.IO.Path.GetFullPath(path))!;
}
