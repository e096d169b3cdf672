using System;
using System.Buffers.Binary;

namespace BigPile.Perf.Traces;

/// <summary>Reads the records of each format of bytes.</summary>
/// <param name="SizeBytes">What a record has.</param>
/// <param name="Read">Adds what a record says to a trace.</param>
internal sealed record TraceRecords(int SizeBytes, TraceRecords.Reading Read)
{
    private const int VersionsChecked = 2;

    // The two versions of a disk's commands; the first one has its version behind the command, the second one before all but it.
    private static readonly TraceRecords Vscsi1 = new(32, static (record, trace) => AddCommand(record, 16, 4, trace));
    private static readonly TraceRecords Vscsi2 = new(40, static (record, trace) => AddCommand(record, 16, 8, trace));

    internal delegate void Reading(ReadOnlySpan<byte> record, TraceBuilder trace);

    /// <summary>The reader of a format; <see langword="null"/> when the first bytes are not of it, or it is one of text.</summary>
    internal static TraceRecords? Of(TraceFormat format, ReadOnlySpan<byte> head) => format switch
    {
        TraceFormat.Int32 => new(4, static (record, trace) => trace.Add(BinaryPrimitives.ReadInt32BigEndian(record))),
        TraceFormat.Int64 => new(8, static (record, trace) => trace.Add(BinaryPrimitives.ReadInt64BigEndian(record))),
        TraceFormat.OracleGeneral => new(24, static (record, trace) => AddCommand(record, 4, 12, trace)),
        TraceFormat.Vscsi => OfVersion(head),
        _ => null,
    };

    private static TraceRecords? OfVersion(ReadOnlySpan<byte> head)
    {
        if (HasVersion(head, Vscsi2.SizeBytes, versionAt: 3, version: 2))
            return Vscsi2;
        return HasVersion(head, Vscsi1.SizeBytes, versionAt: 15, version: 1) ? Vscsi1 : null;
    }

    private static bool HasVersion(ReadOnlySpan<byte> head, int recordBytes, int versionAt, byte version)
    {
        for (int i = 0; i < VersionsChecked; i++)
        {
            int at = i * recordBytes + versionAt;
            if (at >= head.Length)
                return i > 0;
            if (head[at] != version)
                return false;
        }
        return true;
    }

    private static void AddCommand(ReadOnlySpan<byte> record, int keyAt, int sizeAt, TraceBuilder trace) =>
        trace.Add(
            BinaryPrimitives.ReadInt64LittleEndian(record[keyAt..]), BinaryPrimitives.ReadUInt32LittleEndian(record[sizeAt..]));
}
