using BigPile.Concurrency;
using BigPile.Durability;

namespace BigPile.Access;

/// <summary>The stripes, and the number of changes at which they and the segments were taken over.</summary>
internal sealed class WriterView(StripeFile file, Stripes stripes, ulong changes)
{
    internal Stripes Stripes => stripes;

    internal ulong Changes => changes;

    internal bool IsCurrent => file.Changes == changes;

    /// <summary>Whether an owner is putting blocks back just now; or it was killed at that.</summary>
    internal bool IsRecovering => (changes & 1) != 0;
}
