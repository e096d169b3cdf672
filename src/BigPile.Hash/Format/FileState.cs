using System;
using System.Buffers.Binary;
using System.Diagnostics;
using BigPile.Memory;

namespace BigPile.Hash.Format;

/// <summary>The mutable part of the file header. It is written to two sectors in turn; the newest intact one is valid.</summary>
/// <remarks>
/// Bytes 0..7: the counter, one higher with each write. 8..11: <see cref="Phase"/>. 12..15: bit 0, <see cref="WasEverHard"/>; bit 1,
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

    /// <summary>Of a closed database: whether all of it is durable.</summary>
    internal bool IsHard { get; init; }

    /// <summary>The boot of the machine in which this state was written.</summary>
    internal Guid BootId { get; init; }

    /// <summary>The number of records when it was closed; of an open one, at the last hard synchronization, or 0 if unknown.</summary>
    internal long Records { get; init; }

    /// <summary>All records up to this sequence are durable.</summary>
    internal long SyncedSequence { get; init; }

    /// <summary>
    /// The highest sequence assigned when the database was closed, or when the last hard synchronization or clear began; 0 if unknown.
    /// Later records have higher sequences; all up to it were in their chains by then, or dead.
    /// </summary>
    internal long LastSequence { get; init; }

    /// <summary>The offset that this state is written to.</summary>
    internal long At => (Counter & 1) == 0 ? FirstAt : SecondAt;

    internal void Write(Span<byte> destination, ulong salt)
    {
        Debug.Assert(((SyncedSequence | LastSequence) & ~RecordHead.MaxSequence) == 0, "A read keeps all bits of the sequences.");
        BinaryPrimitives.WriteUInt64LittleEndian(destination, Counter);
        BinaryPrimitives.WriteInt32LittleEndian(destination[8..], (int)Phase);
        BinaryPrimitives.WriteInt32LittleEndian(destination[12..], (WasEverHard ? 1 : 0) | (IsHard ? 2 : 0));
        BootId.TryWriteBytes(destination[16..]);
        BinaryPrimitives.WriteInt64LittleEndian(destination[32..], Records);
        BinaryPrimitives.WriteInt64LittleEndian(destination[40..], SyncedSequence);
        BinaryPrimitives.WriteInt64LittleEndian(destination[48..], LastSequence);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[56..], ChecksumOf(destination, salt));
    }

    /// <summary>The newest intact state of a header; <see langword="null"/> if there is none.</summary>
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

/// <summary>The phase that the header states.</summary>
internal enum FilePhase
{
    /// <summary>The database was closed.</summary>
    Closed = 1,

    /// <summary>A process has it open.</summary>
    Open = 2,

    /// <summary>A process recovers it: the chains are not valid.</summary>
    Recovering = 3,

    /// <summary>A process clears it: no record is valid any more.</summary>
    Clearing = 4,
}

/// <summary>Which phase of a file may follow which.</summary>
internal static class FilePhases
{
    /// <summary>Whether a process that finds or has stated one phase may state another next; for an assertion, which tests run.</summary>
    internal static bool MayFollow(this FilePhase next, FilePhase before) => (before, next) switch
    {
        (_, FilePhase.Recovering) => true, // whatever a header says, a recovery begins anew
        (FilePhase.Closed or FilePhase.Recovering or FilePhase.Clearing or FilePhase.Open, FilePhase.Open) => true,
        (FilePhase.Open, FilePhase.Clearing or FilePhase.Closed) => true,
        _ => false,
    };
}
