namespace BigPile.Hash;

/// <summary>What a database has, and what of its file is used how.</summary>
/// <remarks>
/// <see cref="FileBytes"/> = <see cref="IndexBytes"/> + <see cref="LiveBytes"/> + <see cref="FreeBytes"/> + <see cref="WaitingBytes"/>.
/// The numbers are taken while others may write: the bytes are of one instant, of which the records are only about.
/// </remarks>
/// <param name="Records">The records.</param>
/// <param name="Buckets">The chains that they are spread over.</param>
/// <param name="FileBytes">The size of the file.</param>
/// <param name="IndexBytes">The head and the buckets.</param>
/// <param name="LiveBytes">The rooms of records, with their headers and what a room has more than its record needs.</param>
/// <param name="FreeBytes">Rooms to be used again, and what was taken from the file ahead.</param>
/// <param name="WaitingBytes">
/// Rooms of dead records that a power cut would bring back, and of what keeps them dead: free behind the next hard synchronizations.
/// </param>
public sealed record HashStatistics(
    long Records, long Buckets, long FileBytes, long IndexBytes, long LiveBytes, long FreeBytes, long WaitingBytes)
{
    /// <summary>With more in a chain than this, each operation takes longer than it need.</summary>
    internal const int MostRecordsPerBucket = 2;

    private const int MostFreePerLive = 2;
    private const long FreeToBeginWith = 16 << 20;

    /// <summary>
    /// Whether <see cref="HashDatabase.Rebuild"/> would make the database faster, since chains have more than two records on the average,
    /// or its file smaller, of which more than two thirds and 16 MiB are free.
    /// </summary>
    public bool ShouldBeRebuilt =>
        Records > Buckets * MostRecordsPerBucket || FreeBytes > FreeToBeginWith + LiveBytes * MostFreePerLive;
}
