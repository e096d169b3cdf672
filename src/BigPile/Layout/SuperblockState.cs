using System;
using System.Collections.Generic;
using System.Numerics;

namespace BigPile.Layout;

/// <summary>What a mapped pile states of itself as a whole.</summary>
internal sealed partial class SuperblockState
{
    /// <summary>The format, for ever: what changes from here on is a <see cref="Feature"/>.</summary>
    internal const int CurrentFormat = 7;


    /// <summary>The format that it was read in; it is written in the present one.</summary>
    internal int Format { get; private set; } = CurrentFormat;

    internal Guid PileId { get; init; }

    internal int PageBytes { get; init; }

    internal long SegmentBytes { get; init; }

    /// <summary>Whether blocks carry checksums; decided when the pile was made.</summary>
    internal bool HasChecksums { get; init; }

    /// <summary>Which checksums blocks carry.</summary>
    internal BlockChecksumKind ChecksumKind =>
        !HasChecksums ? BlockChecksumKind.None
        : Features.Has(Feature.LegacyBlockChecksums) ? BlockChecksumKind.Crc32COrLegacy
        : BlockChecksumKind.Crc32C;

    /// <summary>What the pile makes use of.</summary>
    internal Features Features { get; set; } = Features.None;

    /// <summary>
    /// What a version with further features that may be ignored has added behind all that this one knows; written back as it was.
    /// </summary>
    private byte[] UnknownFields { get; set; } = [];

    /// <summary>Whether nothing of it is written through to a device: it means nothing once the machine was started anew.</summary>
    internal bool IsShared { get; init; }

    /// <summary>How often the superblock was written; of its two places the higher one counts.</summary>
    internal long Sequence { get; set; }

    /// <summary>Whether the last owner closed the pile.</summary>
    internal bool IsClean { get; set; }

    /// <summary>Whether pages may have traces of a power cut that no owner has examined yet; of a pile that is closed none has.</summary>
    internal bool HasTracesOfCut { get; set; }

    /// <summary>
    /// Whether the device may have marks of deletions that an owner made after a power cut: there was no checkpoint since. A pile with
    /// traces of a cut has them as well.
    /// </summary>
    internal bool HasMarksOfCut { get; set; }

    /// <summary>The generation at which all new segments start at least; as format 1 left it.</summary>
    internal uint GenerationBase { get; set; }

    /// <summary>No entry of a table has a version above this.</summary>
    internal ulong VersionLimit { get; set; }

    /// <summary>The start of the machine during which the pile was opened last; empty where the system does not tell.</summary>
    internal Guid BootId { get; set; }

    /// <summary>The number that batches of the flush log must have to count.</summary>
    internal long LogEpoch { get; set; }

    /// <summary>The bytes of the catalog when the pile was closed; without meaning while it is open.</summary>
    internal long CatalogBytes { get; set; }

    /// <summary>The bytes of the catalog that were written through when this was written; 0 as earlier formats than 3 leave it.</summary>
    internal long DurableCatalogBytes { get; set; }

    /// <summary>
    /// The last version of an entry that the last checkpoint, or closing, had; 0 where that is not known, and without meaning while it is
    /// closed.
    /// </summary>
    internal ulong FlushedVersion { get; set; }

    /// <summary>
    /// While there are traces of a power cut: no entry that was put before it has a version above this, and all put since have one.
    /// </summary>
    internal ulong CutVersion { get; set; }

    /// <summary>
    /// The number of the tables' indexes that go with the entries; empty where there are none, as behind a power cut. Formats before 5 have
    /// none.
    /// </summary>
    internal Guid IndexSet { get; set; }

    /// <summary>The segments that exist, and their lengths in bytes.</summary>
    internal SortedDictionary<int, long> Segments { get; private set; } = [];

    /// <summary>The numbers whose segments were given back, and above which generation a new one starts. Format 1 has none.</summary>
    internal SortedDictionary<int, uint> Generations { get; private set; } = [];

    /// <summary>A copy that can be changed, and thrown away when it can't be written.</summary>
    internal SuperblockState Copy()
    {
        var copy = (SuperblockState)MemberwiseClone();
        copy.Generations = new SortedDictionary<int, uint>(Generations);
        copy.Segments = new SortedDictionary<int, long>(Segments);
        return copy;
    }

    /// <summary>Whether it differs from another one in nothing but its sequence.</summary>
    internal bool HasSameContent(SuperblockState other)
    {
        SuperblockState same = other.Copy();
        same.Sequence = Sequence;
        return same.Encode().AsSpan().SequenceEqual(Encode());
    }

    /// <summary>What can't be true of any pile, though the checksum is right; null if nothing is.</summary>
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
