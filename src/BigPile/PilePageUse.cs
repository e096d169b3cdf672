namespace BigPile;

/// <summary>
/// What the bytes of some pages are used for. The bytes of the pages = head + taken + free + unrecovered + unused.
/// </summary>
/// <param name="HeadBytes">The segment's head and page words.</param>
/// <param name="TakenBytes">Live blocks with their headers and slack, and damaged pages.</param>
/// <param name="FreeBytes">Free slots in pages in use.</param>
/// <param name="UnrecoveredBytes">Pages that were in use when the pile was opened and are not recovered yet.</param>
/// <param name="UnusedBytes">Pages that are not in use.</param>
public readonly record struct PilePageUse(long HeadBytes, long TakenBytes, long FreeBytes, long UnrecoveredBytes, long UnusedBytes)
{
    /// <summary>The bytes of the pages.</summary>
    public long TotalBytes => HeadBytes + TakenBytes + FreeBytes + UnrecoveredBytes + UnusedBytes;

    /// <summary>The use of the pages of both.</summary>
    public static PilePageUse operator +(PilePageUse left, PilePageUse right) => new(
        left.HeadBytes + right.HeadBytes, left.TakenBytes + right.TakenBytes, left.FreeBytes + right.FreeBytes,
        left.UnrecoveredBytes + right.UnrecoveredBytes, left.UnusedBytes + right.UnusedBytes);
}
