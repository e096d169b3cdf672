namespace BigPile.Hash;

/// <summary>Counts of a database, and how the bytes of its file are used.</summary>
/// <remarks>
/// <see cref="FileBytes"/> = <see cref="IndexBytes"/> + <see cref="LiveBytes"/> + <see cref="FreeBytes"/> + <see cref="WaitingBytes"/>.
/// Concurrent writers do not disturb the sum: all bytes are of one instant. The number of records is approximate.
/// </remarks>
/// <param name="Records">The records.</param>
/// <param name="Buckets">The number of hash chains.</param>
/// <param name="FileBytes">The size of the file.</param>
/// <param name="IndexBytes">The bytes of the header and the buckets.</param>
/// <param name="LiveBytes">The extents of records, with their headers and unused ends.</param>
/// <param name="FreeBytes">Extents that can be reused, and space that was taken from the file in advance.</param>
/// <param name="WaitingBytes">
/// Extents of dead records that a power cut would bring back, and of their tombstones: free after the next hard synchronizations.
/// </param>
public sealed record HashStatistics(
    long Records, long Buckets, long FileBytes, long IndexBytes, long LiveBytes, long FreeBytes, long WaitingBytes)
{
    /// <summary>Longer chains on average make every operation slower.</summary>
    internal const int MostRecordsPerBucket = 2;

    private const int MostFreePerLive = 2;
    private const long FreeToBeginWith = 16 << 20;

    /// <summary>
    /// Whether a <see cref="HashDatabase.Rebuild"/> would make the database faster, because chains have more than two records on average,
    /// or its file smaller, because more than two thirds and 16 MiB of it are free.
    /// </summary>
    public bool ShouldBeRebuilt =>
        Records > Buckets * MostRecordsPerBucket || FreeBytes > FreeToBeginWith + LiveBytes * MostFreePerLive;
}
