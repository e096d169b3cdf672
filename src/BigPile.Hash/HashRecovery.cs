using System;

namespace BigPile.Hash;

/// <summary>What opening a database found, and did.</summary>
/// <param name="Ending">How it was left.</param>
/// <param name="Records">The records that there were.</param>
/// <param name="TornRecords">Half-written records that were dropped. Their calls had not returned, or were not hard-synchronized.</param>
/// <param name="DamagedRecords">
/// Records that damage has taken or put in doubt; no kill does, and a power cut only of a file that was closed without ever being
/// hard-synchronized: it states how many there were, and nobody knows whether the device had them. Those that the file says it had
/// and that are not whole, places that links lead to and where no record of theirs is, and records that are back since what outdated
/// them is gone. At least 1 where even the count of records is gone.
/// </param>
/// <param name="ScannedBytes">The bytes of the file that were looked at.</param>
/// <param name="Duration">How long opening took.</param>
public sealed record HashRecovery(
    HashEnding Ending, long Records, long TornRecords, long DamagedRecords, long ScannedBytes, TimeSpan Duration);
