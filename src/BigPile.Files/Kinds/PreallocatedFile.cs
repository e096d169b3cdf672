using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Files.Concurrency;
using BigPile.Files.Storage;
using BigPile.Memory;

namespace BigPile.Files.Kinds;

/// <summary>A file that allocates disk space ahead of its size, so that a full disk is found when it grows, and never later.</summary>
/// <remarks>
/// <para>
/// Two numbers say which bytes may be touched. The size bounds reads; it is -1 once the file is closed. The capacity bounds how far the
/// size may be raised without a lock; bytes between the two are zero. Every access enters a critical region
/// (<see cref="FileRegions"/>), then reads one of the two. To lower them, first the capacity is set to 0, after which only the
/// holder of the lock raises the size; then the size is lowered. Each step waits for quiescence before any byte goes.
/// </para>
/// <para>
/// A new mapping is published before the capacity that it covers. The old one is unmapped after quiescence.
/// </para>
/// </remarks>
internal abstract partial class PreallocatedFile<TBytes> : CacheLineIsolated, IBlockFile, IRenamableFile, ICheckedFile
    where TBytes : struct, IByteStore
{
    private protected const long ClosedSize = -1;

    private readonly Lock _changeLock = new();
    private readonly OpenedFile _file;
    private readonly Growth _growth;

#pragma warning disable CS0649, IDE0044 // the store changes its own state
    private protected TBytes Bytes;
#pragma warning restore CS0649, IDE0044
    // The size in bytes, or ClosedSize. Lowered only under the change lock, after the capacity is 0.
    private protected long SizeWord;
    // The allocated bytes; 0 while read-only, or while the size is being lowered. Written under the change lock.
    private protected long CapacityWord;

    private protected PreallocatedFile(OpenedFile file, BlockFileKind kind)
    {
        Kind = kind;
        _file = file;
        _growth = new Growth(file.Options.InitialSize, file.Options.GrowthFactor, file.Options.MaxSize);
        IsReadOnly = file.Options.ReadOnly;
        try
        {
            SizeWord = file.File.LengthBytes;
            Bytes.Open(file.File, file.Options, SizeWord);
            CapacityWord = IsReadOnly ? 0 : SizeWord;
            Debug.Assert(SizeWord <= Bytes.CoveredBytes, "All bytes of the file can be touched.");
        }
        catch
        {
            Bytes.Release();
            throw;
        }
    }

    public string Path => _file.Path;

    public BlockFileKind Kind { get; }

    public bool IsReadOnly { get; }

    public long Size
    {
        get
        {
            long size = Volatile.Read(ref SizeWord);
            if (size == ClosedSize)
                BlockFileErrors.Closed(Path);
            return size;
        }
    }

    private protected Lock ChangeLock => _changeLock;

    public abstract void ReadAt(long offset, Span<byte> destination);

    public abstract void WriteAt(long offset, ReadOnlySpan<byte> source);

    public abstract long Append(ReadOnlySpan<byte> source);

    public virtual long Expand(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        lock (_changeLock)
        {
            CheckWritable();
            long offset = SizeWord;
            EnsureCapacityLocked(EndOf(offset, bytes));
            Volatile.Write(ref SizeWord, offset + bytes);
            return offset;
        }
    }

    public void Truncate(long size)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(size);
        lock (_changeLock)
        {
            CheckWritable();
            EnsureCapacityLocked(size);
            long capacity = CapacityWord;
            StopExtendingLocked();
            try
            {
                if (size < SizeWord)
                    capacity = CutLocked(size, capacity);
                else
                    SetSizeLocked(size);
            }
            finally
            {
                PublishCapacityLocked(capacity);
            }
        }
    }

    public void Synchronize(bool hard, long offset = 0, long length = long.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        _ = Size;
        if (!OperatingSystem.IsLinux() && !IsReadOnly)
        {
            lock (_changeLock)
                Bytes.Flush(offset, length);
        }
        if (!hard)
            return;
        try
        {
            _file.Sync();
        }
        catch (ObjectDisposedException)
        {
            BlockFileErrors.Closed(Path);
        }
    }

    public void Close()
    {
        lock (_changeLock)
        {
            if (SizeWord == ClosedSize)
                return;
            StopExtendingLocked();
            long size = SizeWord;
            SetSizeLocked(ClosedSize);
            WaitForQuiescence();
            Debug.Assert(SizeWord == ClosedSize && CapacityWord == 0, "Nobody touches the bytes from now on.");
            Release(size);
        }
    }

    public bool HasItsName => _file.HasItsName;

    public void Rename(string name)
    {
        lock (_changeLock)
        {
            CheckWritable();
            _file.Rename(name);
        }
    }

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>Sets the size; an atomic file does so atomically.</summary>
    private protected abstract void SetSizeLocked(long size);

    /// <summary>Throws if the file is closed or read-only.</summary>
    private protected void CheckWritable()
    {
        _ = Size;
        if (IsReadOnly)
            BlockFileErrors.ReadOnly(Path);
    }

    /// <summary>The end of a range; throws if it is out of range.</summary>
    private protected static long EndOf(long offset, long length)
    {
        if (offset < 0 || offset > long.MaxValue - length)
            BlockFileErrors.BadOffset(offset);
        return offset + length;
    }

    /// <summary>Throws the exception for an invalid read.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private protected void ThrowOutOfRange(long offset, int length)
    {
        long size = Size;
        if (offset < 0)
            BlockFileErrors.BadOffset(offset);
        BlockFileErrors.PastEnd(Path, offset, length, size);
    }

    private void Release(long size)
    {
        try
        {
            Bytes.Release();
            if (!IsReadOnly && _file.File.LengthBytes > size)
                OpenedFile.Cut(_file.File, size);
        }
        finally
        {
            _file.Dispose();
        }
    }
}
