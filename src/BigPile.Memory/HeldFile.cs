using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>An open file of a <see cref="HeldDirectory"/>: each operation is guarded by the directory, and reported to its hook.</summary>
internal sealed class HeldFile(HeldDirectory directory, string path, SafeFileHandle handle, bool canWrite) : IDisposable
{
    /// <summary>The file's full path in its directory.</summary>
    internal string Path { get; set; } = path;

    internal SafeFileHandle Handle { get; } = handle;

    internal bool CanWrite { get; } = canWrite;

    internal long LengthBytes
    {
        get
        {
            directory.Begin(FileOperation.Stat, Path);
            long lengthBytes = Length();
            directory.End(FileOperation.Stat, Path);
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

    /// <summary>Reads until the buffer is full or the file ends.</summary>
    /// <returns>The number of bytes read.</returns>
    internal int Read(Span<byte> destination, long offsetBytes)
    {
        directory.Begin(FileOperation.Read, Path);
        int filledBytes = 0;
        while (filledBytes < destination.Length
            && RandomAccess.Read(Handle, destination[filledBytes..], offsetBytes + filledBytes) is > 0 and int read)
        {
            filledBytes += read;
        }
        directory.End(FileOperation.Read, Path);
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
        directory.Begin(FileOperation.Write, Path);
        int throughBytes = directory.Hook?.Tear(Path, bytes.Length) ?? bytes.Length;
        try
        {
            RandomAccess.Write(Handle, bytes[..throughBytes], offsetBytes);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IOException($"'{Path}' could not be written: {e.Message}", e); // the inner exception tells whether the disk is full
        }
        if (throughBytes < bytes.Length)
            throw FileErrors.Of(Path, "written", FileErrors.DiskFull);
        directory.End(FileOperation.Write, Path);
    }

    internal void SetLength(long lengthBytes)
    {
        directory.Begin(FileOperation.SetLength, Path);
        HeldDirectory.Translate(() => RandomAccess.SetLength(Handle, lengthBytes));
        directory.End(FileOperation.SetLength, Path);
    }

    /// <summary>Sets the file's length with all its disk space allocated, so that no later store can fail.</summary>
    /// <param name="lengthBytes">The length; not less than the file has.</param>
    /// <param name="isNew">Whether the file is still empty.</param>
    internal void Allocate(long lengthBytes, bool isNew)
    {
        if (isNew)
            Extend(0, lengthBytes);
        else if (!IsGiven(() => FileSpace.TryKeep(this, lengthBytes)))
            FileSpace.Fill(this, 0, lengthBytes, isNew: false);
    }

    /// <summary>Allocates more of the disk space of a file that is longer than that. Nobody stores to these bytes meanwhile.</summary>
    /// <param name="fromBytes">The bytes that have space.</param>
    /// <param name="toBytes">The bytes that are to have some.</param>
    /// <param name="isNew">Whether nothing was ever stored there.</param>
    /// <exception cref="IOException">The disk is full; no byte has changed.</exception>
    internal void AllocateMore(long fromBytes, long toBytes, bool isNew)
    {
        if (!IsGiven(() => isNew ? FileSpace.TryExtend(this, fromBytes, toBytes) : FileSpace.TryKeep(this, toBytes)))
            FileSpace.Fill(this, fromBytes, toBytes, isNew);
    }

    /// <summary>Extends the file by zeros, with all its disk space allocated.</summary>
    /// <param name="fromBytes">The length that the file has.</param>
    /// <param name="toBytes">The new length.</param>
    /// <exception cref="IOException">The disk is full; the file has its old length again.</exception>
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

    /// <summary>Restores a file's length after a failure, to free its disk space.</summary>
    internal void CutBack(long lengthBytes)
    {
        try
        {
            SetLength(lengthBytes);
        }
        catch (IOException)
        {
            // it stays longer; the rest is never read
        }
    }

    private bool IsGiven(Func<bool> tryTake)
    {
        bool isGiven = false;
        try
        {
            directory.Begin(FileOperation.Allocate, Path);
            isGiven = tryTake();
            directory.End(FileOperation.Allocate, Path);
        }
        catch (NotSupportedException)
        {
            // neither the file system nor the OS supports it: write the bytes instead
        }
        return isGiven;
    }

    /// <summary>Syncs the file, as written by calls or through a map.</summary>
    /// <param name="always">Also if the directory is volatile.</param>
    /// <exception cref="DirectoryChangedException">The file was deleted: what is written could not be found again.</exception>
    internal void Sync(bool always = false)
    {
        directory.Begin(FileOperation.Sync, Path);
        if (FileStatus.Of(Handle) is { Names: 0 })
            throw Gone(Path);
        if (always || !directory.IsVolatile)
            SyncToDevice();
        directory.End(FileOperation.Sync, Path);
    }

    private void SyncToDevice()
    {
        if (!OperatingSystem.IsLinux())
            RandomAccess.FlushToDisk(Handle);
        else if (LibC.SyncData(Handle) != 0)
            throw FileErrors.Last(Path, "written through to its device");
    }

    /// <summary>The exception for a file that is not the one that was opened.</summary>
    internal static DirectoryChangedException Gone(string path) => new(
        $"The file '{path}' was removed or replaced while it was in use. Put it back, or restore the directory from a copy.");

    /// <summary>Reports that the file is about to be mapped.</summary>
    /// <exception cref="MappingRefusedException">The process has too many mappings.</exception>
    internal void BeginMap()
    {
        directory.Begin(FileOperation.Map, Path);
        if (MappingLimit.Own.Take() is { } reason)
            throw new MappingRefusedException($"'{Path}' can't be mapped into memory: {reason}");
    }

    /// <summary>Maps the file by the runtime.</summary>
    /// <param name="capacityBytes">The length that the file is extended to; 0: as it is.</param>
    /// <param name="offsetBytes">The start of the view.</param>
    /// <param name="lengthBytes">The length of the view.</param>
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
            view = map.CreateViewAccessor(offsetBytes, lengthBytes, access); // the view outlives the map object
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

    /// <summary>Reports that the file was mapped.</summary>
    internal void EndMap() => directory.End(FileOperation.Map, Path);

    public void Dispose() => Handle.Dispose();
}

/// <summary>A file could not be mapped, since the process may have no more mappings or addresses. The message has the remedy.</summary>
internal sealed class MappingRefusedException(string message, Exception? innerException = null) : IOException(message, innerException);
