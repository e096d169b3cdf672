using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Files.Concurrency;
using BigPile.Files.Storage;
using BigPile.Memory;

namespace BigPile.Files.Kinds;

/// <summary>A file that takes room of the disk ahead of its size, so that a full disk is met when it grows, and never later.</summary>
/// <remarks>
/// <para>
/// Two numbers say what may be touched. The size is what there is to read; -1 once the file is closed. The room is how far the size may be
/// raised without a lock; behind the size it is zero. Whoever touches bytes enters the file (<see cref="FileCriticalRegion"/>), and then looks at
/// one of them. Who lowers them waits for those inside before anything goes: first the room, after which nobody raises the size but the
/// holder of the lock, then the size.
/// </para>
/// <para>
/// A mapping that must move is published before the room that it has; the old one goes when all who came before have left.
/// </para>
/// </remarks>
internal abstract class PreallocatedFile<TBytes> : CacheLineIsolated, IBlockFile, IRenamableFile where TBytes : struct, IByteStore
{
    private protected const long ClosedSize = -1;

    private readonly Lock _changeLock = new();
    private readonly OpenedFile _file;
    private readonly Growth _growth;

#pragma warning disable IDE0044 // a store changes itself
    private protected TBytes Bytes;
#pragma warning restore IDE0044
    private protected long SizeWord;
    private protected long CapacityWord;

    private protected PreallocatedFile(OpenedFile file)
    {
        _file = file;
        _growth = new Growth(file.Options.InitialSize, file.Options.GrowthFactor, file.Options.MaxSize);
        FileNumber = FileCriticalRegion.NextFile();
        IsReadOnly = file.Options.ReadOnly;
        try
        {
            SizeWord = file.File.LengthBytes;
            Bytes.Open(file.File, file.Options, SizeWord);
            CapacityWord = IsReadOnly ? 0 : SizeWord;
        }
        catch
        {
            Bytes.Release();
            throw;
        }
    }

    public string Path => _file.Path;

    public abstract BlockFileKind Kind { get; }

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

    /// <summary>The file's number among those that threads are in.</summary>
    private protected long FileNumber { get; }

    private protected Lock ChangeLock => _changeLock;

    public abstract void ReadAt(long offset, Span<byte> destination);

    public abstract void WriteAt(long offset, ReadOnlySpan<byte> source);

    public abstract long Append(ReadOnlySpan<byte> source);

    public abstract long Expand(long bytes);

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
                Volatile.Write(ref CapacityWord, capacity);
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

    /// <summary>Gives the file a size; one that is atomic shows it whole.</summary>
    private protected abstract void SetSizeLocked(long size);

    /// <summary>Throws when the file is closed, or can't be written.</summary>
    private protected void CheckWritable()
    {
        _ = Size;
        if (IsReadOnly)
            BlockFileErrors.ReadOnly(Path);
    }

    /// <summary>The offset behind some bytes; throws when there is no such offset.</summary>
    private protected static long EndOf(long offset, long length)
    {
        if (offset < 0 || offset > long.MaxValue - length)
            BlockFileErrors.BadOffset(offset);
        return offset + length;
    }

    /// <summary>Throws what is wrong with a read.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private protected void ThrowOutOfRange(long offset, int length)
    {
        long size = Size;
        if (offset < 0)
            BlockFileErrors.BadOffset(offset);
        BlockFileErrors.PastEnd(Path, offset, length, size);
    }

    /// <summary>Takes room of the disk.</summary>
    /// <exception cref="BlockFileFullException">There is none; the file is as it was.</exception>
    private protected void EnsureCapacity(long neededBytes)
    {
        lock (_changeLock)
            EnsureCapacityLocked(neededBytes);
    }

    /// <inheritdoc cref="EnsureCapacity"/>
    private protected void EnsureCapacityLocked(long neededBytes)
    {
        CheckWritable();
        long capacity = CapacityWord;
        if (neededBytes <= capacity)
            return;
        if (neededBytes > _file.Options.MaxSize)
            throw BlockFileErrors.LimitReached(Path, neededBytes, _file.Options.MaxSize);
        long taken = _file.Extend(capacity, _growth.Next(capacity, neededBytes), _growth.Least(neededBytes));
        IDisposable? before;
        try
        {
            before = Bytes.Cover(taken);
        }
        catch
        {
            _file.Restore(capacity);
            throw;
        }
        Volatile.Write(ref CapacityWord, taken);
        if (before == null)
            return;
        WaitForQuiescence();
        before.Dispose();
    }

    /// <summary>After a write that failed behind the end: what it left there goes, so that the room is zero again.</summary>
    private protected void ClearBehindSize()
    {
        lock (_changeLock)
        {
            if (SizeWord == ClosedSize)
                return;
            long capacity = CapacityWord;
            StopExtendingLocked();
            try
            {
                capacity = Bytes.Cut(capacity, SizeWord, capacity);
            }
            catch (IOException)
            {
                // the device fails altogether, as the write's own exception says
            }
            finally
            {
                Volatile.Write(ref CapacityWord, capacity);
            }
        }
    }

    private void StopExtendingLocked()
    {
        Volatile.Write(ref CapacityWord, 0);
        WaitForQuiescence();
    }

    private long CutLocked(long size, long capacity)
    {
        long before = SizeWord;
        SetSizeLocked(size);
        try
        {
            WaitForQuiescence();
            return Bytes.Cut(before, size, capacity);
        }
        catch
        {
            SetSizeLocked(before);
            throw;
        }
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

    private void WaitForQuiescence()
    {
        if (_file.Options.WaitsForReaders)
            FileCriticalRegion.WaitForQuiescence(FileNumber);
    }
}
