using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>What the slots of a page are for: a size class, and whether the blocks may be evicted when the pile is full.</summary>
/// <remarks>
/// One block that stays keeps its page from being emptied, so the two are kept apart where the pile separates them (see
/// <see cref="PageSeparation"/>). Where it does not, all lie in pages of the second kind.
/// </remarks>
internal static class PageKind
{
    /// <summary>One past the last kind.</summary>
    internal const int End = 2 * Evictable;

    private const int Evictable = 256; // above the size classes

    internal static int Of(int sizeClass, bool isEvictable) => isEvictable ? sizeClass + Evictable : sizeClass;

    internal static bool IsEvictable(int kind) => kind >= Evictable;

    internal static int SizeClassOf(int kind) => kind & (Evictable - 1);

    /// <summary>The kind of the same size class for the other blocks.</summary>
    internal static int OtherOf(int kind) => kind ^ Evictable;

    internal static int SlotBytes(int kind) => SizeClasses.SlotBytes(SizeClassOf(kind));
}
