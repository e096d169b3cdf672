using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Durability;

/// <summary>Two log files used in turn: flushes append the changed blocks to the file of the current epoch.</summary>
/// <remarks>
/// <code>
/// batch: magic (8 bytes) | epoch (8) | length of the body (4) | CRC-32C of all else (4) | version limit (8) | body
/// </code>
/// Little-endian. A batch is valid if it is whole, of the superblock's epoch, and all before it are valid. A checkpoint syncs the segments,
/// writes what changed meanwhile to the other file as the first batch of the next epoch, and then raises the superblock's epoch: at each
/// instant, one file and the segments together are everything that was flushed. If nothing changed meanwhile, only the superblock changes;
/// a file that is missing or has no batch of the epoch is an empty log. No flush depends on disk space for its batch: if the disk is full,
/// the batch is refused, and a checkpoint does without one. An append costs one write and one fdatasync (7 ms), however scattered the
/// changes were. Thread safety: under the flush lock, unless a member says otherwise.
/// </remarks>
internal sealed partial class FlushLog(PileDirectory directory, long capacityBytes) : IDisposable
{
    internal const int HeadBytes = 32;

    /// <summary>The epoch increment of a checkpoint without a batch.</summary>
    /// <remarks>
    /// More than 1, since a failed checkpoint may have left a batch of the next epoch. Free marks count modulo 4, and a difference of up to
    /// 2 is pending: 5 equals 1 modulo 4, and so makes the marks of the previous epoch final.
    /// </remarks>
    internal const int EpochsWithoutBatch = 5;

    private const int StepBytes = 256 * 1024; // by which a file grows
    private const int WorthwhileBytes = 4 * StepBytes; // less than this is not worth a checkpoint

    private const ulong Magic = 0x474F4C454C495042; // "BPILELOG"

    private readonly PileDirectory _directory = directory; // its superblock states the epoch, and so the current file
    private readonly long _capacityBytes = capacityBytes; // the most bytes of an epoch's batches
    private readonly bool[] _areNamed = new bool[2]; // per file: whether its name is known to be on the device
    private HeldFile? _file; // the current epoch's file; null until it has a batch to append or begins with one
    private long _endBytes; // the end of its valid batches; 0 without a file
    private bool _isSpaceRequested; // set by any thread, cleared by the checkpoint that returned the space

    /// <summary>A batch that was read back.</summary>
    internal readonly record struct Batch(ulong VersionLimit, ReadOnlyMemory<byte> Body);

    /// <summary>The most bytes of the next batch of this epoch.</summary>
    internal long FreeBytes => _capacityBytes - _endBytes;

    /// <summary>Whether the next flush must be a checkpoint that returns the space of both files to the disk. Any thread.</summary>
    internal bool IsSpaceRequested => Volatile.Read(ref _isSpaceRequested);

    /// <summary>Requests the disk space of both files, if there is enough to be worth a checkpoint. Any thread.</summary>
    internal bool TryRequestSpace()
    {
        if (LengthOf(0) + LengthOf(1) < WorthwhileBytes)
            return false;
        Volatile.Write(ref _isSpaceRequested, true);
        return true;
    }

    /// <summary>Appends a batch to this epoch's file, and syncs it.</summary>
    /// <param name="batch">Space for the head, then the body.</param>
    /// <param name="versionLimit">The version limit that recovery restores.</param>
    /// <returns>
    /// The system's error if the disk is full, otherwise null. After an error nothing may be appended before the next epoch.
    /// </returns>
    /// <exception cref="IOException">The device refused.</exception>
    internal IOException? Append(Span<byte> batch, ulong versionLimit)
    {
        _directory.Superblock.ReconcileAll(); // which file is current must be certain before one is touched
        try
        {
            _file ??= Open(_directory.Superblock.LogEpoch);
            Debug.Assert(batch.Length <= FreeBytes, "The batch exceeds the log's capacity.");
            Debug.Assert(
                Path.GetFileName(_file.Path) == NameOf(_directory.Superblock.LogEpoch),
                "The batch would go to the wrong file.");
            CrashPoints.Pass(CrashPoint.FlushBeforeBatch);
            Write(_file, batch, versionLimit, _directory.Superblock.LogEpoch, _endBytes);
        }
        catch (IOException e) when (FileErrors.IsDiskFull(e))
        {
            return e;
        }
        // Behind the sync. After a failed one nothing more is appended to this file, as the system may have dropped pages that it failed
        // to write: the next flush is a checkpoint (Flusher), which starts the other file.
        _endBytes += batch.Length;
        return null;
    }

    /// <summary>Begins the next epoch with a batch. The segments are durable by now.</summary>
    /// <remarks>If space was requested, the new file is only as long as the batch, and the old file is removed.</remarks>
    /// <returns>The system's error if the disk is full, otherwise null. After an error the epoch is unchanged.</returns>
    /// <exception cref="IOException">The device refused.</exception>
    internal IOException? Restart(Span<byte> batch, ulong versionLimit, ulong flushedVersion)
    {
        _directory.Superblock.ReconcileAll(); // as in Append; also states the types that the batch refers to
        long epoch = _directory.Superblock.LogEpoch + 1;
        HeldFile? file = null;
        try
        {
            if (IsSpaceRequested)
                Remove(epoch); // an older epoch's batches: nothing needs them, and the new file is only as long as its batch
            file = Open(epoch);
            Write(file, batch, versionLimit, epoch, 0);
        }
        catch (IOException e) when (FileErrors.IsDiskFull(e))
        {
            file?.Dispose();
            Remove(epoch); // the epoch did not begin: its batch, whole or not, must not take the space
            return e;
        }
        catch
        {
            file?.Dispose();
            throw;
        }
        try
        {
            CrashPoints.Pass(CrashPoint.FlushBeforeEpoch);
            Debug.Assert(epoch == _directory.Superblock.LogEpoch + 1, "The epoch changed meanwhile: the flush lock is not held.");
            // The commit: before this store recovery reads the old file, behind it the new one. If it fails the disk may have either, and
            // each with the segments has this flush or the one before.
            _directory.Superblock.RaiseLogEpoch(epoch, flushedVersion);
        }
        catch
        {
            file.Dispose();
            throw;
        }
        Begin(file, batch.Length); // the file before is closed; the next restart writes over it
        if (IsSpaceRequested)
            ReleaseSpace(epoch - 1); // behind the commit: until then recovery needs it
        return null;
    }

    /// <summary>Begins an epoch with an empty log. The segments hold everything that is flushed, durably.</summary>
    /// <param name="flushedVersion">The last version of an entry that is in the segments.</param>
    /// <param name="releasesSpace">Whether to return the old log's space to the disk, also if nobody requested it.</param>
    /// <exception cref="IOException">The device refused.</exception>
    internal void RestartEmpty(ulong flushedVersion, bool releasesSpace)
    {
        _directory.Superblock.ReconcileAll();
        long before = _directory.Superblock.LogEpoch;
        // The commit: no file has a batch of the new epoch, so the log is empty.
        _directory.Superblock.RaiseLogEpoch(before + EpochsWithoutBatch, flushedVersion);
        Begin(null, 0);
        if (releasesSpace || IsSpaceRequested)
            ReleaseSpace(before, before + EpochsWithoutBatch);
    }

    private void Begin(HeldFile? file, long endBytes)
    {
        _file?.Dispose();
        _file = file;
        _endBytes = endBytes;
    }

    private void ReleaseSpace(params ReadOnlySpan<long> epochs)
    {
        foreach (long epoch in epochs)
            Remove(epoch);
        Volatile.Write(ref _isSpaceRequested, false);
    }

    // The file has no valid batch: its space may be what the next one needs.
    private void Remove(long epoch)
    {
        _areNamed[epoch % 2] = false; // the next file has to have its name synced anew
        _directory.Files.TryDelete(NameOf(epoch));
    }

    /// <summary>Checks that the file of this epoch has its space, and valid batches up to the known end. For tests.</summary>
    /// <exception cref="InvalidOperationException">It does not.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "FlushLog";
        long epoch = _directory.Superblock.LogEpoch;
        Invariant.Between(Structure, epoch, "end of the batches", _endBytes, 0, _capacityBytes);
        if (_file == null)
        {
            Invariant.Equal(Structure, epoch, "end of the batches without a file", _endBytes, 0);
            return;
        }
        Invariant.Equal(Structure, epoch, "name of the file", Path.GetFileName(_file.Path), NameOf(epoch));
        Invariant.True(Structure, epoch, "name of the file durable", _areNamed[epoch % 2]);
        ReadOnlyMemory<byte> all = _file.ReadAll();
        Invariant.Between(Structure, epoch, "length of the file", all.Length, _endBytes, int.MaxValue);
        long at = 0;
        while (at < _endBytes && TryRead(all[(int)at..], out Batch batch))
            at += HeadBytes + batch.Body.Length;
        Invariant.Equal(Structure, epoch, "end of the whole batches", at, _endBytes);
    }

    public void Dispose() => _file?.Dispose();

    private long LengthOf(long epoch)
    {
        var file = new FileInfo(_directory.PathOf(NameOf(epoch)));
        return file.Exists ? file.Length : 0;
    }

    private static string NameOf(long epoch) => epoch % 2 == 0 ? "log-0" : "log-1";

    private HeldFile Open(long epoch)
    {
        HeldFile file = _directory.Files.Open(NameOf(epoch), FileMode.OpenOrCreate, FileAccess.ReadWrite);
        try
        {
            if (file.LengthBytes > _capacityBytes)
                file.SetLength(_capacityBytes); // made under a larger limit
            MakeNameDurable(epoch);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    // Grows in steps instead of to the log's limit, so that a pile with little to flush stays small.
    private void Preallocate(HeldFile file, long lengthBytes)
    {
        long foundBytes = file.LengthBytes;
        long wantedBytes = Math.Min((lengthBytes + StepBytes - 1) / StepBytes * StepBytes, _capacityBytes);
        if (foundBytes < lengthBytes)
            file.Extend(foundBytes, Math.Max(lengthBytes, wantedBytes)); // all allocated: an append is one write and one sync
    }

    // An existing file may still lose its name: its creator may have died before the directory was synced.
    private void MakeNameDurable(long epoch)
    {
        ref bool isNamed = ref _areNamed[epoch % 2];
        if (isNamed)
            return;
        _directory.Files.Sync();
        isNamed = true;
    }

    private void Write(HeldFile file, Span<byte> batch, ulong versionLimit, long epoch, long offsetBytes)
    {
        Debug.Assert(batch.Length >= HeadBytes && offsetBytes >= 0, "The batch has no space for its head.");
        BinaryPrimitives.WriteUInt64LittleEndian(batch, Magic);
        BinaryPrimitives.WriteInt64LittleEndian(batch[8..], epoch);
        BinaryPrimitives.WriteInt32LittleEndian(batch[16..], batch.Length - HeadBytes);
        BinaryPrimitives.WriteUInt64LittleEndian(batch[24..], versionLimit);
        BinaryPrimitives.WriteUInt32LittleEndian(batch[20..], ChecksumOf(batch));
        Preallocate(file, offsetBytes + batch.Length);
        _directory.OnSyncing(file.Path); // for tests
        file.Write(batch, offsetBytes);
        file.Sync(); // one sync for the whole batch: its checksum tells a torn one
        _directory.OnSynced(file.Path);
    }

    // Excludes the four bytes of the checksum itself.
    private static uint ChecksumOf(ReadOnlySpan<byte> batch) => Checksum.Of(batch[24..], Checksum.Of(batch[..20]));
}
