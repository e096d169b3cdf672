using System;
using System.Buffers;
using System.Diagnostics;
using System.IO;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>
/// The superblock in its file: two places that hold the same, written one after the other, so that one of them is always whole.
/// </summary>
/// <remarks>
/// Of a write that failed nothing is known but that: the next one begins with the same place, and the other one stays whole meanwhile.
/// </remarks>
internal sealed class SuperblockFile : IDisposable
{
    /// <summary>The bytes of one place.</summary>
    internal const int CopyBytes = 512 * 1024;

    private const string UnfinishedSuffix = ".new";
    private const int MaxReads = 20; // a reader may come while the writer is writing one

    private readonly HeldFile _file;

    private SuperblockFile(HeldFile file) => _file = file;

    /// <summary>The file as it is now; null when the system does not tell.</summary>
    internal FileStatus? Status => FileStatus.Of(_file.Handle);

    /// <summary>Whether both places were whole when they were read last, and say the same.</summary>
    internal bool HadBoth { get; private set; }

    /// <summary>Opens the superblock of a pile; null when there is none, or one without a byte in it.</summary>
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

    /// <summary>Makes the superblock of a new pile, which appears whole or not at all.</summary>
    /// <exception cref="IOException">The device refused, or is full.</exception>
    internal static SuperblockFile Create(HeldDirectory directory, string name, SuperblockState state)
    {
        HeldFile file = directory.Open(name + UnfinishedSuffix, FileMode.Create, FileAccess.ReadWrite, 2 * CopyBytes);
        try
        {
            file.Allocate(2 * CopyBytes, isNew: true); // from the start: a full disk must not keep the pile from stating what it is
            var superblock = new SuperblockFile(file);
            superblock.Write(state);
            directory.Rename(file, name);
            directory.Sync();
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
    /// <param name="faults">Takes note when one place is not whole.</param>
    /// <exception cref="PileStorageException">Neither place is whole, or the format is newer than this version.</exception>
    internal SuperblockState Read(FaultLog faults)
    {
        SuperblockState? first = ReadCopy(0);
        SuperblockState? second = ReadCopy(1);
        for (int attempt = 1; attempt < MaxReads && IsReadOnly && (first == null || second == null); attempt++)
        {
            first = ReadCopy(0);
            second = ReadCopy(1);
        }
        if (first == null && second == null)
        {
            throw new PileStorageException(
                $"'{_file.Path}' is no superblock of a pile, or both its copies are damaged. Restore it, or remove the directory to "
                + "begin anew.");
        }
        if (first == null || second == null)
            faults.Add(FaultOf(first == null ? 0 : 1, (first ?? second)!));
        HadBoth = first != null && second != null && first.HasSameContent(second);
        return second == null || first?.Sequence > second.Sequence ? first! : second;
    }

    /// <summary>Writes a new state to one place and then to the other; the device has the first before the second is touched.</summary>
    /// <param name="state">The state; its sequence is raised with each place that is written.</param>
    /// <exception cref="IOException">The device refused, or is full: either state may be the one that is read next.</exception>
    internal void Write(SuperblockState state)
    {
        Debug.Assert(!IsReadOnly, "A reader has nothing to state.");
        WriteCopy(state);
        CrashPoints.Pass(CrashPoint.SuperblockBetweenPlaces);
        WriteCopy(state);
    }

    private bool IsReadOnly => !_file.CanWrite;

    public void Dispose() => _file.Dispose();

    private void WriteCopy(SuperblockState state)
    {
        state.Sequence++;
        try
        {
            byte[] bytes = state.Encode();
            if (bytes.Length > CopyBytes)
                throw new PileStorageException(
                    $"The superblock '{_file.Path}' can't list {state.Segments.Count:N0} segments. Use larger segments.");
            Debug.Assert(
                SuperblockState.TryDecode(bytes, _file.Path)?.Sequence == state.Sequence, "What is written could not be read back.");
            _file.Write(bytes, state.Sequence % 2 * CopyBytes);
            _file.Sync();
        }
        catch
        {
            state.Sequence--;
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
        byte[] bytes = ArrayPool<byte>.Shared.Rent(CopyBytes); // of the large ones, which cost a full collection now and then
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
