using System;

namespace BigPile.Hash;

/// <summary>What opening a database found and did.</summary>
/// <param name="Ending">How the database was left.</param>
/// <param name="Records">The number of records.</param>
/// <param name="TornRecords">
/// Half-written records that were dropped. Their calls had not returned, or they were not hard-synchronized.
/// </param>
/// <param name="DamagedRecords">
/// Records that damage has destroyed or made doubtful: records that the file states and that are not intact, links that lead to no record
/// of their chain, and records that are back because what outdated them is lost. At least 1 if even the number of records is lost. A kill
/// alone causes none. A power cut does only if the file was closed and never hard-synchronized: then it states a number of records that the
/// device may never have had.
/// </param>
/// <param name="ScannedBytes">The bytes of the file that were read.</param>
/// <param name="Duration">The duration of the opening.</param>
public sealed record HashRecovery(
    HashEnding Ending, long Records, long TornRecords, long DamagedRecords, long ScannedBytes, TimeSpan Duration);
