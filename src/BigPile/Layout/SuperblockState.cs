using System;
using System.Collections.Generic;
using System.Numerics;

namespace BigPile.Layout;

/// <summary>The contents of a mapped pile's superblock.</summary>
internal sealed partial class SuperblockState
{
    /// <summary>The final format number: later changes are a <see cref="Feature"/> each.</summary>
    internal const int CurrentFormat = 7;


    /// <summary>The format that it was read in; it is written in the current one.</summary>
    internal int Format { get; private set; } = CurrentFormat;

    internal Guid PileId { get; init; }

    internal int PageBytes { get; init; }

    internal long SegmentBytes { get; init; }

    /// <summary>Whether blocks have checksums; set when the pile is created.</summary>
    internal bool HasChecksums { get; init; }

    /// <summary>Which checksums blocks have.</summary>
    internal BlockChecksumKind ChecksumKind =>
        !HasChecksums ? BlockChecksumKind.None
        : Features.Has(Feature.LegacyBlockChecksums) ? BlockChecksumKind.Crc32COrLegacy
        : BlockChecksumKind.Crc32C;

    /// <summary>The features that the pile uses.</summary>
    internal Features Features { get; set; } = Features.None;

    /// <summary>
    /// Fields that a later version, with ignorable features, has added behind those that this one knows; written back unchanged.
    /// </summary>
    private byte[] UnknownFields { get; set; } = [];

    /// <summary>
    /// Whether the pile is in shared memory: nothing is written through to a device, and a restart of the machine ends it.
    /// </summary>
    internal bool IsShared { get; init; }

    /// <summary>How often the superblock was written. Of its two copies the one with the higher sequence is valid.</summary>
    internal long Sequence { get; set; }

    /// <summary>Whether the last owner closed the pile.</summary>
    internal bool IsClean { get; set; }

    /// <summary>Whether pages may have traces of a power cut and are not recovered; false in a closed pile.</summary>
    internal bool HasTracesOfCut { get; set; }

    /// <summary>
    /// Whether the device may have marks of deletions from after a power cut: no checkpoint was made since. True as well while there are
    /// traces of a power cut.
    /// </summary>
    internal bool HasMarksOfCut { get; set; }

    /// <summary>The lowest generation base of a new segment; set by format 1 only.</summary>
    internal uint GenerationBase { get; set; }

    /// <summary>The upper limit of the versions of all tables' entries.</summary>
    internal ulong VersionLimit { get; set; }

    /// <summary>The id of the machine's boot in which the pile was last opened; empty if the system has none.</summary>
    internal Guid BootId { get; set; }

    /// <summary>The epoch of valid batches in the flush log.</summary>
    internal long LogEpoch { get; set; }

    /// <summary>The bytes of the catalog when the pile was closed; unused while it is open.</summary>
    internal long CatalogBytes { get; set; }

    /// <summary>The bytes of the catalog that were durable when this was written; 0 from formats before 3.</summary>
    internal long DurableCatalogBytes { get; set; }

    /// <summary>
    /// The last version of an entry at the last checkpoint or close; 0 if unknown; unused while the pile is closed.
    /// </summary>
    internal ulong FlushedVersion { get; set; }

    /// <summary>
    /// While there are traces of a power cut: the versions of entries from before the cut are at most this, those of later ones greater.
    /// </summary>
    internal ulong CutVersion { get; set; }

    /// <summary>
    /// The id of the set of table indexes that matches the entries; empty where there is none, as after a power cut. Formats before 5 have
    /// none.
    /// </summary>
    internal Guid IndexSet { get; set; }

    /// <summary>The segments in use, and their lengths in bytes.</summary>
    internal SortedDictionary<int, long> Segments { get; private set; } = [];

    /// <summary>The numbers whose segments were given back, and the generation base of a new one there. Format 1 has none.</summary>
    internal SortedDictionary<int, uint> Generations { get; private set; } = [];

    /// <summary>A copy to change, and to discard if it can't be written.</summary>
    internal SuperblockState Copy()
    {
        var copy = (SuperblockState)MemberwiseClone();
        copy.Generations = new SortedDictionary<int, uint>(Generations);
        copy.Segments = new SortedDictionary<int, long>(Segments);
        return copy;
    }

    /// <summary>Whether it equals another one but for the sequence.</summary>
    internal bool HasSameContent(SuperblockState other)
    {
        SuperblockState same = other.Copy();
        same.Sequence = Sequence;
        return same.Encode().AsSpan().SequenceEqual(Encode());
    }

    /// <summary>What is impossible in a pile even though the checksum matches; null if nothing is.</summary>
    internal string? Contradiction()
    {
        if (SegmentBytes is < SegmentHead.MinSegmentBytes or > SegmentHead.MaxSegmentBytes || !BitOperations.IsPow2(SegmentBytes))
            return $"segments of {SegmentBytes:N0} bytes";
        if (GenerationBase > PilePointer.MaxGeneration)
            return $"a generation base of {GenerationBase:N0}";
        if (HasChecksums && !Features.Has(Feature.Crc32CBlocks))
            return "checksums of no kind";
        if (LogEpoch is < 0 or > MostWrites || Sequence is < 0 or > MostWrites)
            return $"a log epoch of {LogEpoch:N0}, written {Sequence:N0} times";
        if (DurableCatalogBytes < 0)
            return $"a catalog of {DurableCatalogBytes:N0} bytes";
        return null;
    }
}
