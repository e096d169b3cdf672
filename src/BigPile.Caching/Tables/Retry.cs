using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Access;
using BigPile.Caching.Keys;

namespace BigPile.Caching.Tables;

/// <summary>Prepares the retries of a call that lacked space or a comparison, outside of critical regions.</summary>
/// <remarks>Owned by the calling thread.</remarks>
internal struct Retry(TableEngine table)
{
    private ReclaimAttempts _attempts;

    /// <summary>Prepares the next attempt. The caller has left its critical region.</summary>
    /// <param name="key">The call's key.</param>
    /// <param name="failure">Why there was no space; null if a comparison was lacking.</param>
    /// <param name="isPut">Whether a refusal is that of a put, which is counted; not a promotion's, whose reader gets the value.</param>
    /// <returns><see langword="false"/> where no space can be made: the caller fails.</returns>
    internal bool TryPrepare(in KeyProbe key, [NotNullWhen(false)] PileException? failure, bool isPut = true)
    {
        if (failure != null)
            return table.Heap.TryReclaim(failure, ref _attempts, evicts: true, isPut);
        Debug.Assert(key.Matcher != null, "Only a comparer's keys are compared outside, with no lock held.");
        key.Matcher!.Learn();
        return true;
    }
}
