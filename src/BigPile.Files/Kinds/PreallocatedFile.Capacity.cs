using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Files.Concurrency;
using BigPile.Files.Storage;

namespace BigPile.Files.Kinds;

/// <summary>Raises and lowers the capacity.</summary>
internal abstract partial class PreallocatedFile<TBytes>
{
    /// <summary>Allocates disk space, so that the capacity is at least <paramref name="neededBytes"/>.</summary>
    /// <exception cref="BlockFileFullException">The disk is full, or the limit is reached; the file is unchanged.</exception>
    private protected void EnsureCapacity(long neededBytes)
    {
        lock (_changeLock)
            EnsureCapacityLocked(neededBytes);
    }

    /// <inheritdoc cref="EnsureCapacity"/>
    private protected void EnsureCapacityLocked(long neededBytes)
    {
        Debug.Assert(_changeLock.IsHeldByCurrentThread, "The caller holds the change lock.");
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
        Debug.Assert(taken >= neededBytes, "The file has the bytes that are needed.");
        PublishCapacityLocked(taken);
        if (before == null)
            return;
        WaitForQuiescence();
        before.Dispose();
    }

    /// <summary>After a failed write behind the size: clears what it left there, so that these bytes are zero again.</summary>
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
                Debug.Assert(SizeWord <= capacity, "The size was never raised above the capacity.");
                capacity = Bytes.Cut(capacity, SizeWord, capacity);
            }
            catch (IOException)
            {
                // the device fails; the write's own exception says so
            }
            finally
            {
                PublishCapacityLocked(capacity);
            }
        }
    }

    private void PublishCapacityLocked(long capacity)
    {
        Debug.Assert(_changeLock.IsHeldByCurrentThread, "The caller holds the change lock.");
        Debug.Assert(capacity >= SizeWord, "The bytes of the file are a part of what is allocated.");
        Debug.Assert(capacity <= Bytes.CoveredBytes, "A mapping covers the capacity before a thread can see it.");
        Volatile.Write(ref CapacityWord, capacity);
    }

    private void StopExtendingLocked()
    {
        Debug.Assert(_changeLock.IsHeldByCurrentThread, "The caller holds the change lock.");
        Volatile.Write(ref CapacityWord, 0);
        WaitForQuiescence();
    }

    private long CutLocked(long size, long capacity)
    {
        long before = SizeWord;
        Debug.Assert(size < before && before <= capacity, "Bytes go, and all that go were allocated.");
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

    private void WaitForQuiescence()
    {
        if (_file.Options.WaitsForReaders)
            FileRegions.WaitForQuiescence();
    }
}
