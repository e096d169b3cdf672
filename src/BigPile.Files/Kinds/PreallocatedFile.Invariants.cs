using System;
using System.IO;
using BigPile.Memory.Checking;

namespace BigPile.Files.Kinds;

/// <summary>What holds of size, capacity and bytes.</summary>
internal abstract partial class PreallocatedFile<TBytes>
{
    private const int PartBytes = 1 << 16;

    /// <inheritdoc/>
    public void CheckInvariants()
    {
        const string Structure = "PreallocatedFile";
        lock (_changeLock)
        {
            Bytes.CheckInvariants();
            if (SizeWord == ClosedSize)
            {
                Invariant.Equal(Structure, 0, "capacity of a closed file", CapacityWord, 0);
                return;
            }
            long onDisk = RandomAccess.GetLength(_file.File.Handle);
            Invariant.Between(Structure, 0, "size", SizeWord, 0, onDisk);
            Invariant.Equal(Structure, 0, "capacity", CapacityWord, IsReadOnly ? 0 : onDisk);
            Invariant.Between(Structure, 0, "length on disk", onDisk, 0, Bytes.CoveredBytes);
            CheckZeros(CapacityWord);
            CheckBufferLocked();
        }
    }

    /// <summary>Checks what a kind holds of the file in memory, for tests.</summary>
    private protected virtual void CheckBufferLocked()
    {
    }

    private void CheckZeros(long capacity)
    {
        Span<byte> part = new byte[(int)Math.Min(PartBytes, Math.Max(capacity - SizeWord, 0))];
        for (long at = SizeWord; at < capacity; at += part.Length)
        {
            Span<byte> read = part[..(int)Math.Min(part.Length, capacity - at)];
            Invariant.Equal("PreallocatedFile", at, "failure of a read", Bytes.Read(at, read), null);
            int other = read.IndexOfAnyExcept((byte)0);
            Invariant.Equal("PreallocatedFile", at, "first byte behind the size that is not zero", other, -1);
        }
    }
}
