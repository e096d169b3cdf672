using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>What differs between the blocks of a pile in memory and those of one in files.</summary>
/// <param name="DirectoryPath">The directory of a mapped pile.</param>
/// <param name="Checksums">Which checksums blocks have.</param>
/// <param name="ChecksEveryRead">Whether each read compares with them.</param>
/// <param name="Redo">Where a payload goes before it is written over another one.</param>
/// <param name="ShadowHeaders">The headers that count of blocks whose own header must stay.</param>
/// <param name="PageRecovery">Examines the pages that were found.</param>
/// <param name="FreeEpoch">The mark of what is freed until the first flush.</param>
internal readonly record struct BlockRules(
    string? DirectoryPath,
    BlockChecksumKind Checksums,
    bool ChecksEveryRead,
    Redo Redo,
    ShadowHeaderTable ShadowHeaders,
    PageRecovery? PageRecovery,
    long FreeEpoch)
{
    /// <summary>Of a pile in memory: nothing outlives the process, so nothing has to be kept for the next one.</summary>
    internal static BlockRules OfMemory => new(null, BlockChecksumKind.None, false, new NoRedo(), ShadowHeaderTable.None(), null, 0);
}
