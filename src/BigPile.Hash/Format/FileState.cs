using System;
using System.Buffers.Binary;
using BigPile.Memory;

namespace BigPile.Hash.Format;

/// <summary>What changes in a file's head: it is in two sectors in turn, and the newest one that is whole counts.</summary>
/// <remarks>
/// Bytes 0..7: the counter, which grows with each. 8..11: <see cref="Phase"/>. 12..15: bit 0, <see cref="WasEverHard"/>; bit 1,
/// <see cref="IsHard"/>. 16..31: <see cref="BootId"/>. 32..39: <see cref="Records"/>. 40..47: <see cref="SyncedSequence"/>. 48..55:
/// <see cref="LastSequence"/>. 56..59: the checksum of 0..55 and the salt.
/// </remarks>
internal readonly record struct FileState
{
    internal const int Bytes = 60;

    private const int FirstAt = 512;
    private const int SecondAt = 1024;

    internal ulong Counter { get; init; }

    internal FilePhase Phase { get; init; }

    /// <summary>Whether the database was ever hard-synchronized.</summary>
    internal bool WasEverHard { get; init; }

    /// <summary>Of one that is closed: whether the device has all of it.</summary>
    internal bool IsHard { get; init; }

    /// <summary>The start of the machine in which this was written.</summary>
    internal Guid BootId { get; init; }

    /// <summary>Of one that is closed.</summary>
    internal long Records { get; init; }

    /// <summary>What the device has at least: all records up to this sequence.</summary>
    internal long SyncedSequence { get; init; }

    /// <summary>
    /// The highest sequence that was given when it was closed, or the last hard synchronization or a clear began; 0 where nothing is known.
    /// Later records have higher ones, and all up to it were in their chains then, or dead.
    /// </summary>
    internal long LastSequence { get; init; }

    /// <summary>Where in the file it is written.</summary>
    internal long At => (Counter & 1) == 0 ? FirstAt : SecondAt;

    internal void Write(Span<byte> destination, ulong salt)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(destination, Counter);
        BinaryPrimitives.WriteInt32LittleEndian(destination[8..], (int)Phase);
        BinaryPrimitives.WriteInt32LittleEndian(destination[12..], (WasEverHard ? 1 : 0) | (IsHard ? 2 : 0));
        BootId.TryWriteBytes(destination[16..]);
        BinaryPrimitives.WriteInt64LittleEndian(destination[32..], Records);
        BinaryPrimitives.WriteInt64LittleEndian(destination[40..], SyncedSequence);
        BinaryPrimitives.WriteInt64LittleEndian(destination[48..], LastSequence);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[56..], ChecksumOf(destination, salt));
    }

    /// <summary>The newest state in a head; <see langword="null"/> when none is whole.</summary>
    internal static FileState? ReadNewest(ReadOnlySpan<byte> head, ulong salt)
    {
        FileState? first = Read(head[FirstAt..], salt);
        FileState? second = Read(head[SecondAt..], salt);
        return second == null || first?.Counter > second.Value.Counter ? first : second;
    }

    private static FileState? Read(ReadOnlySpan<byte> source, ulong salt)
    {
        int flags = BinaryPrimitives.ReadInt32LittleEndian(source[12..]);
        return BinaryPrimitives.ReadUInt32LittleEndian(source[56..]) != ChecksumOf(source, salt) ? null : new FileState
        {
            Counter = BinaryPrimitives.ReadUInt64LittleEndian(source),
            Phase = (FilePhase)BinaryPrimitives.ReadInt32LittleEndian(source[8..]),
            WasEverHard = (flags & 1) != 0,
            IsHard = (flags & 2) != 0,
            BootId = new Guid(source.Slice(16, 16)),
            Records = BinaryPrimitives.ReadInt64LittleEndian(source[32..]),
            SyncedSequence = BinaryPrimitives.ReadInt64LittleEndian(source[40..]) & RecordHead.MaxSequence,
            LastSequence = BinaryPrimitives.ReadInt64LittleEndian(source[48..]) & RecordHead.MaxSequence,
        };
    }

    private static uint ChecksumOf(ReadOnlySpan<byte> state, ulong salt) =>
        ~Crc32C.Add(RecordChecksum.Begin(salt, 0, 0), state[..56]);
}
