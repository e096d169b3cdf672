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
    /// <returns><see langword="false"/> where no space can be made: the caller fails.</returns>
    internal bool TryPrepare(in KeyProbe key, [NotNullWhen(false)] PileException? failure)
    {
        if (failure != null)
            return TryPrepare(failure);
        Debug.Assert(key.Matcher != null, "Only a comparer's keys are compared outside, with no lock held.");
        key.Matcher!.Learn();
        return true;
    }

    /// <summary>As the other overload, for a call that compares no keys.</summary>
    internal bool TryPrepare(PileException failure) => table.Heap.TryReclaim(failure, ref _attempts);
}
