using System;

namespace BigPile.Hash;

/// <summary>What opening a database found, and did.</summary>
/// <param name="Ending">How it was left.</param>
/// <param name="Records">The records that there were.</param>
/// <param name="TornRecords">Half-written records that were dropped. Their calls had not returned, or were not hard-synchronized.</param>
/// <param name="ScannedBytes">The bytes of the file that were looked at.</param>
/// <param name="Duration">How long opening took.</param>
public sealed record HashRecovery(HashEnding Ending, long Records, long TornRecords, long ScannedBytes, TimeSpan Duration);
