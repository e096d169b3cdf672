using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>An opened file of a <see cref="HeldDirectory"/>, which is told of each operation and proves itself before it.</summary>
internal sealed class HeldFile : IDisposable
{
    private readonly HeldDirectory _directory;

    internal HeldFile(HeldDirectory directory, string path, SafeFileHandle handle, bool canWrite)
    {
        _directory = directory;
        Path = path;
        Handle = handle;
        CanWrite = canWrite;
    }

    /// <summary>The full path that the file has in its directory.</summary>
    internal string Path { get; set; }

    internal SafeFileHandle Handle { get; }

    internal bool CanWrite { get; }

    internal long LengthBytes
    {
        get
        {
            _directory.Begin(FileOperation.Stat, Path);
            long lengthBytes = Length();
            _directory.End(FileOperation.Stat, Path);
            return lengthBytes;
        }
    }

    private long Length()
    {
        try
        {
            return RandomAccess.GetLength(Handle);
        }
        catch (NotSupportedException e)
        {
            throw new IOException($"'{Path}' is no file that can be read at any place: {e.Message}", e);
        }
    }

    /// <summary>Reads until the room is full or the file ends.</summary>
    /// <returns>How many bytes there were.</returns>
    internal int Read(Span<byte> destination, long offsetBytes)
    {
        _directory.Begin(FileOperation.Read, Path);
        int filledBytes = 0;
        while (filledBytes < destination.Length && RandomAccess.Read(Handle, destination[filledBytes..], offsetBytes + filledBytes) is > 0 and int read)
            filledBytes += read;
        _directory.End(FileOperation.Read, Path);
        return filledBytes;
    }

    /// <summary>Reads the whole file.</summary>
    internal byte[] ReadAll()
    {
        var all = new byte[LengthBytes];
        int readBytes = Read(all, 0);
        return readBytes == all.Length ? all : all[..readBytes];
    }

    internal void Write(ReadOnlySpan<byte> bytes, long offsetBytes)
    {
        _directory.Begin(FileOperation.Write, Path);
        int throughBytes = _directory.Hook?.Tear(Path, bytes.Length) ?? bytes.Length;
        try
        {
            RandomAccess.Write(Handle, bytes[..throughBytes], offsetBytes);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IOException($"'{Path}' could not be written: {e.Message}", e); // its cause says whether the disk is full
        }
        if (throughBytes < bytes.Length)
            throw FileErrors.Of(Path, "written", FileErrors.DiskFull);
        _directory.End(FileOperation.Write, Path);
    }

    internal void SetLength(long lengthBytes)
    {
        _directory.Begin(FileOperation.SetLength, Path);
        HeldDirectory.Translate(() => RandomAccess.SetLength(Handle, lengthBytes));
        _directory.End(FileOperation.SetLength, Path);
    }

    /// <summary>Gives the file a length, all of it space on the disk that no later store can find missing.</summary>
    /// <param name="lengthBytes">The length; not less than the file has.</param>
    /// <param name="isNew">Whether nothing is in it yet.</param>
    internal void Allocate(long lengthBytes, bool isNew)
    {
        if (isNew)
            Extend(0, lengthBytes);
        else if (!IsGiven(() => FileSpace.TryKeep(this, lengthBytes)))
            FileSpace.Fill(this, 0, lengthBytes, isNew: false);
    }

    /// <summary>Makes the file longer, all of it space on the disk; what is added is zero.</summary>
    /// <param name="fromBytes">The length that the file has.</param>
    /// <param name="toBytes">The length that it is to have.</param>
    /// <exception cref="IOException">The disk is full; what the file got of it was given back.</exception>
    internal void Extend(long fromBytes, long toBytes)
    {
        try
        {
            if (!IsGiven(() => FileSpace.TryExtend(this, fromBytes, toBytes)))
                FileSpace.Fill(this, fromBytes, toBytes, isNew: true);
        }
        catch (IOException)
        {
            CutBack(fromBytes);
            throw;
        }
    }

    /// <summary>Gives a file its length back after something that failed: it has room of the disk that nobody gets to use.</summary>
    internal void CutBack(long lengthBytes)
    {
        try
        {
            SetLength(lengthBytes);
        }
        catch (IOException)
        {
            // it stays longer, by what nobody reads
        }
    }

    private bool IsGiven(Func<bool> tryTake)
    {
        bool isGiven = false;
        try
        {
            _directory.Begin(FileOperation.Allocate, Path);
            isGiven = tryTake();
            _directory.End(FileOperation.Allocate, Path);
        }
        catch (NotSupportedException)
        {
            // neither the file system nor the system can: the bytes themselves are written
        }
        return isGiven;
    }

    /// <summary>Returns when the device has what was written to the file, by calls or through a map.</summary>
    /// <param name="always">Also where what is in the directory need not outlive the machine's present start.</param>
    /// <exception cref="DirectoryChangedException">The file has no name any more: nobody would find what is written.</exception>
    internal void Sync(bool always = false)
    {
        _directory.Begin(FileOperation.Sync, Path);
        if (FileStatus.Of(Handle) is { Names: 0 })
            throw Gone(Path);
        if (always || !_directory.IsVolatile)
            SyncToDevice();
        _directory.End(FileOperation.Sync, Path);
    }

    private void SyncToDevice()
    {
        if (!OperatingSystem.IsLinux())
            RandomAccess.FlushToDisk(Handle);
        else if (LibC.SyncData(Handle) != 0)
            throw FileErrors.Last(Path, "written through to its device");
    }

    /// <summary>What is thrown when the file at a path is not the one that was opened.</summary>
    internal static DirectoryChangedException Gone(string path) => new(
        $"The file '{path}' was removed or replaced while it was in use. Put it back, or restore the directory from a copy.");

    /// <summary>Says that the file is being mapped into memory.</summary>
    /// <exception cref="MappingRefusedException">The process has too many mappings.</exception>
    internal void BeginMap()
    {
        _directory.Begin(FileOperation.Map, Path);
        if (MappingLimit.Own.Take() is { } reason)
            throw new MappingRefusedException($"'{Path}' can't be mapped into memory: {reason}");
    }

    /// <summary>Maps the file by the runtime.</summary>
    /// <param name="capacityBytes">What the file is made as long as; 0: as it is.</param>
    /// <param name="offsetBytes">Where what is mapped begins.</param>
    /// <param name="lengthBytes">How much is mapped.</param>
    /// <exception cref="MappingRefusedException">The process has too many mappings, or too little memory.</exception>
    internal MemoryMappedViewAccessor MapView(long capacityBytes, long offsetBytes, long lengthBytes)
    {
        BeginMap();
        MemoryMappedFileAccess access = CanWrite ? MemoryMappedFileAccess.ReadWrite : MemoryMappedFileAccess.Read;
        MemoryMappedViewAccessor view;
        try
        {
            using var map = MemoryMappedFile.CreateFromFile(
                Handle, null, capacityBytes, access, HandleInheritability.None, leaveOpen: true);
            view = map.CreateViewAccessor(offsetBytes, lengthBytes, access); // which stays when the map goes
        }
        catch (Exception e) when (e is OutOfMemoryException or IOException { HResult: FileErrors.NoMemory })
        {
            throw FileErrors.Of(Path, "mapped into memory", FileErrors.NoMemory);
        }
        try
        {
            EndMap();
            return view;
        }
        catch
        {
            view.Dispose();
            throw;
        }
    }

    /// <summary>Says that the file was mapped into memory.</summary>
    internal void EndMap() => _directory.End(FileOperation.Map, Path);

    public void Dispose() => Handle.Dispose();
}
