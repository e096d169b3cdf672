namespace BigPile.Allocation;

/// <summary>
/// What the bytes of some pages are used for. Invariant: the bytes of the pages = head + taken + free + unrecovered + unused.
/// </summary>
/// <param name="HeadBytes">The segment's head and page words.</param>
/// <param name="TakenBytes">Live blocks with their headers and slack, and damaged pages.</param>
/// <param name="FreeBytes">Free slots in pages in use.</param>
/// <param name="UnrecoveredBytes">Pages that were in use when the pile was opened and are not recovered yet.</param>
/// <param name="UnusedBytes">Pages that are not in use.</param>
internal readonly record struct PageUse(long HeadBytes, long TakenBytes, long FreeBytes, long UnrecoveredBytes, long UnusedBytes)
{
    internal long TotalBytes => HeadBytes + TakenBytes + FreeBytes + UnrecoveredBytes + UnusedBytes;

    public static PageUse operator +(PageUse left, PageUse right) => new(
        left.HeadBytes + right.HeadBytes, left.TakenBytes + right.TakenBytes, left.FreeBytes + right.FreeBytes,
        left.UnrecoveredBytes + right.UnrecoveredBytes, left.UnusedBytes + right.UnusedBytes);
}
