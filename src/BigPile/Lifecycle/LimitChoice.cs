using System;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory.Limits;

namespace BigPile.Lifecycle;

/// <summary>Chooses the limit of a pile: the one that was set, none for files, and for memory a share of what there is.</summary>
internal static class LimitChoice
{
    private const string HeapSource = $"the managed heap may take ({ManagedHeap.LimitName})";
    private const string SetOption = $"Set {PileLimit.OptionName}";
    private const string RaiseOption = $"Raise {PileLimit.OptionName}";

    /// <summary>The limit of a pile with these options in this process.</summary>
    /// <exception cref="ArgumentException">There is no limit in the options, and hardly any memory.</exception>
    internal static PileLimit For(PileOptions options) => For(options, options.Memory ?? MemoryLimit.OfProcess(), ManagedHeap.Current());

    /// <inheritdoc cref="For(PileOptions)"/>
    /// <param name="options">The options.</param>
    /// <param name="memory">The memory that the process may use.</param>
    /// <param name="heap">What its managed heap takes.</param>
    internal static PileLimit For(PileOptions options, MemoryLimit memory, ManagedHeap heap)
    {
        (long Bytes, string Source)? shared = IsDroppable(options) ? null : SharedWith(options, memory, heap);
        if (options.MaxBytes is { } maxBytes)
            return new PileLimit(maxBytes, PileLimit.OptionName, RaiseOption, memory) { Shared = shared };
        if (shared is not { } most)
        {
            const string reason = "its pages are in files, and the system drops them from memory when it is short";
            return new PileLimit(long.MaxValue, reason, RaiseOption, memory);
        }
        (long bytes, string why, string remedy) = ShareOf(options.MemoryShare ?? PileOptions.DefaultMemoryShare, most);
        if (!IsManaged(options) && most.Bytes - NeededBy(heap) < bytes)
            (bytes, why, remedy) = RestOf(most, heap);
        bytes = bytes / SizeClasses.PageBytes * SizeClasses.PageBytes;
        return bytes >= PileOptions.MinLimitBytes
            ? new PileLimit(bytes, why, remedy, memory) { Shared = shared }
            : throw new ArgumentException(
                $"The limit of the pile, {why}, is {bytes:N0} bytes, less than the least of {PileOptions.MinLimitBytes:N0}. {remedy}, or "
                + "give the process more memory.", nameof(options));
    }

    private static bool IsDroppable(PileOptions options) => options.ReadOnly || (options.Directory != null && !options.Shared);

    private static bool IsManaged(PileOptions options) => options.Directory == null && options.Store == StoreKind.Managed;

    private static (long Bytes, string Source) SharedWith(PileOptions options, MemoryLimit memory, ManagedHeap heap) =>
        IsManaged(options) && heap.LimitBytes is { } limit && limit < memory.Bytes ? (limit, HeapSource) : (memory.Bytes, memory.Source);

    private static long NeededBy(ManagedHeap heap) => heap.IsConfigured ? heap.LimitBytes!.Value : heap.CommittedBytes;

    private static (long Bytes, string Reason, string Remedy) ShareOf(
        double share, (long Bytes, string Source) memory) => (
        (long)(share * memory.Bytes),
        $"{100 * share:0.##########} % of the {memory.Bytes:N0} bytes that {memory.Source}",
        $"{SetOption}, or raise {nameof(PileOptions.MemoryShare)}");

    private static (long Bytes, string Reason, string Remedy) RestOf((long Bytes, string Source) memory, ManagedHeap heap) => (
        Math.Max(0, memory.Bytes - NeededBy(heap)),
        $"what is left of the {memory.Bytes:N0} bytes that {memory.Source} beside the {NeededBy(heap):N0} bytes that "
        + (heap.IsConfigured ? HeapSource : "the managed heap has taken"),
        heap.IsConfigured ? $"{SetOption}, or lower {ManagedHeap.LimitName}" : SetOption);
}
