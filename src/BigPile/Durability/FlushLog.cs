using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Two files to which flushes append what changed, in turn: the one of the present epoch counts.</summary>
/// <remarks>
/// <code>
/// batch: magic (8 bytes) | epoch (8) | length of the body (4) | CRC-32C of all else (4) | version limit (8) | body
/// </code>
/// Little-endian. A batch counts when it is whole, of the superblock's epoch, and so were all before it. A checkpoint writes the segments
/// through, puts what changed meanwhile into the other file as the first batch of the next epoch, and then raises the superblock's
/// epoch; so at each instant one file and the segments together are everything that was flushed. Where nothing changed meanwhile the
/// superblock alone begins the epoch, and a file that is missing, or has no batch of it, is a log without batches.
/// No flush depends on room of the disk for its batch: where there is none, the batch is refused, and a checkpoint goes without one.
/// When the superblock can't be written, nobody knows which of the two files counts until it can: neither is touched before.
/// A batch that could not be written through is never followed by another one in its file, as the system may have dropped what it failed
/// to write: the next one is the first of the other file, and of the next epoch.
/// Files are preallocated step by step: appending then costs one write and one fdatasync of 7 ms, however scattered the changes were.
/// Calls are made under the flush lock.
/// </remarks>
internal sealed partial class FlushLog : IDisposable
{
    /// <summary>The bytes in front of a batch's body.</summary>
    internal const int HeadBytes = 32;

    /// <summary>By how much an epoch that begins without a batch is above the one before.</summary>
    /// <remarks>
    /// More than one: a checkpoint that failed may have left a batch of the next epoch. Marks count modulo four, and differences up to two
    /// are pending: one behind, modulo four, makes those of this epoch final.
    /// </remarks>
    internal const int EpochsWithoutBatch = 5;

    private const int StepBytes = 256 * 1024;
    private const int WorthwhileBytes = 4 * StepBytes;

    private const ulong Magic = 0x474F4C454C495042; // "BPILELOG"

    private readonly PileDirectory _directory;
    private readonly long _capacityBytes;
    private readonly bool[] _areNamed = new bool[2]; // whether the device is known to have the names of the two files
    private HeldFile? _file;
    private long _endBytes;
    private bool _isSpaceRequested;

    internal FlushLog(PileDirectory directory, long capacityBytes)
    {
        _directory = directory;
        _capacityBytes = capacityBytes;
    }

    /// <summary>One batch as it is read back.</summary>
    internal readonly record struct Batch(ulong VersionLimit, ReadOnlyMemory<byte> Body);

    /// <summary>The most bytes of an epoch's batches.</summary>
    internal long CapacityBytes => _capacityBytes;

    /// <summary>Whether a batch of that many bytes fits behind the others.</summary>
    internal bool Fits(long batchBytes) => batchBytes <= _capacityBytes - _endBytes;

    /// <summary>Whether a batch of that many bytes fits an empty log.</summary>
    internal bool FitsWhenEmpty(long batchBytes) => batchBytes <= _capacityBytes;

    /// <summary>Whether the next flush is to be a checkpoint that gives the room of both files back to the disk.</summary>
    internal bool IsSpaceRequested => Volatile.Read(ref _isSpaceRequested);

    /// <summary>Wants the room of both files for something else, if it is worth a checkpoint. Called by anybody.</summary>
    internal bool TryRequestSpace()
    {
        if (LengthOf(0) + LengthOf(1) < WorthwhileBytes)
            return false;
        Volatile.Write(ref _isSpaceRequested, true);
        return true;
    }

    /// <summary>Makes a batch durable behind the others of this epoch.</summary>
    /// <param name="batch">Room for the head, then the body.</param>
    /// <param name="versionLimit">The version limit to restore.</param>
    /// <returns>
    /// What the system says when the disk has no room for it, else null. Nothing may be appended then before the next epoch.
    /// </returns>
    /// <exception cref="IOException">The device refused.</exception>
    internal IOException? Append(Span<byte> batch, ulong versionLimit)
    {
        _directory.Superblock.ReconcileAll();
        try
        {
            _file ??= Open(_directory.Superblock.LogEpoch);
            Debug.Assert(Fits(batch.Length), "The batch runs over the room that the log may take.");
            Debug.Assert(
                Path.GetFileName(_file.Path) == NameOf(_directory.Superblock.LogEpoch),
                "The batch would go to the file that does not count.");
            CrashPoints.Pass(CrashPoint.FlushBeforeBatch);
            Write(_file, batch, versionLimit, _directory.Superblock.LogEpoch, _endBytes);
        }
        catch (IOException e) when (FileErrors.IsDiskFull(e))
        {
            return e;
        }
        _endBytes += batch.Length;
        return null;
    }

    /// <summary>Begins the next epoch with a batch, once the segments are durable.</summary>
    /// <remarks>Where room is wanted, the new file is as long as the batch, and the one that counts no more is removed.</remarks>
    /// <returns>What the system says when the disk has no room for the batch, else null. The epoch is the one before then.</returns>
    /// <exception cref="IOException">The device refused.</exception>
    internal IOException? Restart(Span<byte> batch, ulong versionLimit, ulong flushedVersion)
    {
        _directory.Superblock.ReconcileAll();
        long epoch = _directory.Superblock.LogEpoch + 1;
        HeldFile? file = null;
        try
        {
            if (IsSpaceRequested)
                Remove(epoch);
            file = Open(epoch);
            Write(file, batch, versionLimit, epoch, 0);
        }
        catch (IOException e) when (FileErrors.IsDiskFull(e))
        {
            file?.Dispose();
            Remove(epoch);
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
            Debug.Assert(epoch == _directory.Superblock.LogEpoch + 1, "Somebody else has begun a log: the flush lock is not held.");
            _directory.Superblock.RaiseLogEpoch(epoch, flushedVersion);
        }
        catch
        {
            file.Dispose();
            throw;
        }
        Begin(file, batch.Length);
        if (IsSpaceRequested)
            ReleaseSpace(epoch - 1);
        return null;
    }

    /// <summary>Begins an epoch with a log that has no batch, once the segments are durable with all that is flushed.</summary>
    /// <param name="flushedVersion">The last version of an entry that is in the segments.</param>
    /// <param name="releasesSpace">Whether the room of the log that counts no more is given back to the disk, wanted or not.</param>
    /// <exception cref="IOException">The device refused.</exception>
    internal void RestartEmpty(ulong flushedVersion, bool releasesSpace)
    {
        _directory.Superblock.ReconcileAll();
        long before = _directory.Superblock.LogEpoch;
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

    // Of the file no batch counts: its room may be what the next one needs.
    private void Remove(long epoch)
    {
        _areNamed[epoch % 2] = false;
        _directory.Files.TryDelete(NameOf(epoch));
    }

    /// <summary>Looks whether the file of this epoch has its room, and whole batches as far as is known. For tests.</summary>
    /// <exception cref="InvalidOperationException">It has not.</exception>
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
                file.SetLength(_capacityBytes); // it was made by who allowed it more
            MakeNameDurable(epoch);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    // Steps, and not all that the log may take: a pile that has little to flush is to be small.
    private void Preallocate(HeldFile file, long lengthBytes)
    {
        long foundBytes = file.LengthBytes;
        long wantedBytes = Math.Min((lengthBytes + StepBytes - 1) / StepBytes * StepBytes, _capacityBytes);
        if (foundBytes < lengthBytes)
            file.Extend(foundBytes, Math.Max(lengthBytes, wantedBytes));
    }

    // A file that exists may still lose its name: whoever made it may have died before the directory was written through.
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
        Debug.Assert(batch.Length >= HeadBytes && offsetBytes >= 0, "There is no room for the head in front of the body.");
        BinaryPrimitives.WriteUInt64LittleEndian(batch, Magic);
        BinaryPrimitives.WriteInt64LittleEndian(batch[8..], epoch);
        BinaryPrimitives.WriteInt32LittleEndian(batch[16..], batch.Length - HeadBytes);
        BinaryPrimitives.WriteUInt64LittleEndian(batch[24..], versionLimit);
        BinaryPrimitives.WriteUInt32LittleEndian(batch[20..], ChecksumOf(batch));
        Preallocate(file, offsetBytes + batch.Length);
        _directory.OnSyncing(file.Path);
        file.Write(batch, offsetBytes);
        file.Sync();
        _directory.OnSynced(file.Path);
    }

    // The checksum's own four bytes are left out.
    private static uint ChecksumOf(ReadOnlySpan<byte> batch) => Checksum.Of(batch[24..], Checksum.Of(batch[..20]));
}
