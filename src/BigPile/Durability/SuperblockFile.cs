using System;
using System.Buffers;
using System.Diagnostics;
using System.IO;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Durability;

/// <summary>The superblock file: two identical copies, written one after the other, so that one is always whole.</summary>
/// <remarks>
/// After a failed write its copy is undefined: the next write begins with the same copy, and the other one stays whole meanwhile.
/// </remarks>
internal sealed class SuperblockFile : IDisposable
{
    internal const int CopyBytes = 512 * 1024;

    private const string UnfinishedSuffix = ".new";
    private const int MaxReads = 20; // a reader may read while the writer writes a copy

    private readonly HeldFile _file; // both copies; held open while the pile is

    private SuperblockFile(HeldFile file) => _file = file;

    /// <summary>The file's current status; null if the system does not report it.</summary>
    internal FileStatus? Status => FileStatus.Of(_file.Handle);

    /// <summary>Whether at the last read both copies were whole, with the same content.</summary>
    internal bool HadBoth { get; private set; }

    /// <summary>Opens the superblock of a pile; null if it is missing or empty.</summary>
    internal static SuperblockFile? TryOpen(HeldDirectory directory, string name, bool readOnly)
    {
        HeldFile? file = directory.TryOpen(name, readOnly ? FileAccess.Read : FileAccess.ReadWrite);
        try
        {
            if (file != null && file.LengthBytes != 0)
                return new SuperblockFile(file);
        }
        catch
        {
            file?.Dispose();
            throw;
        }
        file?.Dispose();
        return null;
    }

    /// <summary>Creates the superblock of a new pile, atomically.</summary>
    /// <exception cref="IOException">The device refused, or is full.</exception>
    internal static SuperblockFile Create(HeldDirectory directory, string name, SuperblockState state)
    {
        HeldFile file = directory.Open(name + UnfinishedSuffix, FileMode.Create, FileAccess.ReadWrite, 2 * CopyBytes);
        try
        {
            file.Allocate(2 * CopyBytes, isNew: true); // allocated at once: a full disk must never prevent a superblock write
            var superblock = new SuperblockFile(file);
            superblock.Write(state);
            directory.Rename(file, name); // both copies are on the device
            directory.Sync(); // the name, too: from here on the pile exists after a power cut
            return superblock;
        }
        catch
        {
            file.Dispose();
            directory.TryDelete(name + UnfinishedSuffix);
            throw;
        }
    }

    /// <summary>Reads the newest whole state.</summary>
    /// <param name="faults">Receives a fault if one copy is damaged.</param>
    /// <exception cref="PileStorageException">Both copies are damaged, or the format is newer than this version.</exception>
    internal SuperblockState Read(FaultLog faults)
    {
        SuperblockState? first = ReadCopy(0);
        SuperblockState? second = ReadCopy(1);
        // A reader may meet the writer in the middle of a copy. The owner never does: then a torn copy is what a crash left.
        for (int attempt = 1; attempt < MaxReads && IsReadOnly && (first == null || second == null); attempt++)
        {
            first = ReadCopy(0);
            second = ReadCopy(1);
        }
        if (first == null && second == null)
        {
            throw new PileStorageException(
                $"'{_file.Path}' is no superblock of a pile, or both its copies are damaged. Restore it, or remove the directory to "
                + "start over.");
        }
        if (first == null || second == null)
            faults.Add(FaultOf(first == null ? 0 : 1, (first ?? second)!));
        HadBoth = first != null && second != null && first.HasSameContent(second);
        return second == null || first?.Sequence > second.Sequence ? first! : second;
    }

    /// <summary>Writes a new state to one copy and then to the other; the first is synced before the second is touched.</summary>
    /// <param name="state">The state; its sequence rises with each copy written.</param>
    /// <exception cref="IOException">The device refused, or is full: the next read may return either state.</exception>
    internal void Write(SuperblockState state)
    {
        Debug.Assert(!IsReadOnly, "A reader never writes the superblock.");
        // One copy is always whole: the second is touched only when the first is on the device.
        WriteCopy(state);
        CrashPoints.Pass(CrashPoint.SuperblockBetweenPlaces);
        WriteCopy(state);
    }

    private bool IsReadOnly => !_file.CanWrite;

    public void Dispose() => _file.Dispose();

    private void WriteCopy(SuperblockState state)
    {
        state.Sequence++; // odd and even sequences have a place each
        try
        {
            byte[] bytes = state.Encode();
            if (bytes.Length > CopyBytes)
                throw new PileStorageException(
                    $"The superblock '{_file.Path}' can't list {state.Segments.Count:N0} segments. Use larger segments.");
            Debug.Assert(
                SuperblockState.TryDecode(bytes, _file.Path)?.Sequence == state.Sequence, "What is written could not be read back.");
            _file.Write(bytes, state.Sequence % 2 * CopyBytes); // over the older copy
            _file.Sync();
        }
        catch
        {
            state.Sequence--; // the next write is to the same place
            throw;
        }
    }

    private PileFault FaultOf(int damagedCopy, SuperblockState other)
    {
        var bytes = new byte[SuperblockState.SequenceEnd];
        bool isLater = _file.Read(bytes, (long)damagedCopy * CopyBytes) == bytes.Length
            && SuperblockState.SequenceIn(bytes) > other.Sequence;
        string later = isLater
            ? ", though it was written before: they say the same, unless the power was cut or the process killed while the superblock "
                + "was being written"
            : "";
        return new PileFault(_file.Path, $"copy {damagedCopy + 1} of the superblock is damaged; the other one was used" + later, 0);
    }

    private SuperblockState? ReadCopy(int copy)
    {
        byte[] bytes = ArrayPool<byte>.Shared.Rent(CopyBytes); // pooled, as it is on the large object heap
        try
        {
            int lengthBytes = _file.Read(bytes.AsSpan(0, CopyBytes), (long)copy * CopyBytes);
            return SuperblockState.TryDecode(new ArraySegment<byte>(bytes, 0, lengthBytes), _file.Path);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }
}
