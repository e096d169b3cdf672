using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>What differs between the blocks of a pile in memory and of a mapped one.</summary>
/// <param name="DirectoryPath">The directory of a mapped pile.</param>
/// <param name="Checksums">The kind of checksum that blocks have.</param>
/// <param name="ChecksEveryRead">Whether each read verifies it.</param>
/// <param name="Redo">The redo log for payloads that are overwritten in place.</param>
/// <param name="ShadowHeaders">The current headers of flushed blocks that changed since.</param>
/// <param name="PageRecovery">Recovers the pages that were found at opening; null if there are none.</param>
/// <param name="FreeMarkEpoch">The epoch that marks blocks freed before the first flush.</param>
internal readonly record struct BlockRules(
    string? DirectoryPath,
    BlockChecksumKind Checksums,
    bool ChecksEveryRead,
    Redo Redo,
    ShadowHeaderTable ShadowHeaders,
    PageRecovery? PageRecovery,
    long FreeMarkEpoch)
{
    /// <summary>For a pile in memory: nothing outlives the process.</summary>
    internal static BlockRules OfMemory => new(null, BlockChecksumKind.None, false, new NoRedo(), ShadowHeaderTable.None(), null, 0);
}
