using System;
using BigPile.Layout;
using BigPile.Memory.Limits;
using Microsoft.Extensions.Logging;

namespace BigPile.Allocation;

/// <summary>The most bytes that a pile's segments may take together, decided once at its opening.</summary>
/// <remarks>Thread safety: immutable.</remarks>
internal sealed record PileLimit
{
    private const string OptionName = $"{nameof(PileOptions)}.{nameof(PileOptions.MaxBytes)}";
    private const string HeapSource = $"the managed heap may take ({ManagedHeap.LimitName})";

    private readonly MemoryLimit _memory;
    private readonly (long Bytes, string Source)? _memoryOfStore; // what the segments share; null: files, which the system can drop
    private readonly string _remedy = $"Raise {OptionName}";

    private PileLimit(PileOptions options, MemoryLimit memory, ManagedHeap heap)
    {
        _memory = memory;
        _memoryOfStore = IsDroppable(options) ? null : MemoryOf(options, memory, heap);
        if (options.MaxBytes is { } maxBytes)
            Bytes = maxBytes;
        else if (_memoryOfStore is { } memoryOfStore)
            (Bytes, Reason, _remedy) = DefaultOf(options, memoryOfStore, heap);
        else
            Bytes = long.MaxValue;
    }

    /// <summary>The limit; <see cref="long.MaxValue"/>: none.</summary>
    internal long Bytes { get; private init; }

    /// <summary>Why a put that needs more is refused, and what helps; for messages.</summary>
    internal string Refusal => $"the limit is {Bytes:N0} bytes{(Reason == null ? "" : ", " + Reason)}. {_remedy}, or delete objects";

    /// <summary>The limit of a pile with these options in this process.</summary>
    /// <exception cref="ArgumentException">There is no limit in the options, and hardly any memory.</exception>
    internal static PileLimit Of(PileOptions options) => Of(options, options.Memory ?? MemoryLimit.OfProcess(), ManagedHeap.Current());

    /// <inheritdoc cref="Of(PileOptions)"/>
    /// <param name="options">The options.</param>
    /// <param name="memory">The memory that the process may use.</param>
    /// <param name="heap">What its managed heap takes.</param>
    internal static PileLimit Of(PileOptions options, MemoryLimit memory, ManagedHeap heap) => new(options, memory, heap);

    /// <summary>This limit, or what the pile holds when it is opened, if that is more.</summary>
    internal PileLimit ForHeld(long heldBytes) => heldBytes <= Bytes ? this : this with
    {
        Bytes = heldBytes,
        Reason = $"which the pile had when it was opened, above {Reason ?? OptionName} ({Bytes:N0} bytes)",
        IsExceeded = true,
    };

    /// <summary>Logs the limit and where it comes from, and warns of one that does not fit.</summary>
    /// <param name="logger">The pile's log.</param>
    /// <param name="name">The pile's name.</param>
    internal void Log(ILogger logger, string name)
    {
        if (IsExceeded)
            logger.LogWarning("The pile '{Name}' can't grow: {Refusal}, and compact it", name, Refusal);
        else if (Bytes != long.MaxValue)
            logger.LogInformation("The pile '{Name}' takes at most {Limit:N0} bytes: {Reason}", name, Bytes, DescribeReason());
        else
            logger.LogInformation("The pile '{Name}' has no limit: {Reason}", name, DescribeReason());
        if (_memoryOfStore is { } memory && memory.Bytes < Bytes && Bytes != long.MaxValue)
        {
            logger.LogWarning(
                "The pile '{Name}' may take {Limit:N0} bytes, more than the {Memory:N0} bytes that {Source}: the process may end before the "
                + "pile is full. Lower " + OptionName + ", or leave it out", name, Bytes, memory.Bytes, memory.Source);
        }
    }

    private string? Reason { get; init; } // of a limit that is not the option's

    private bool IsExceeded { get; init; } // it is what was there

    private static bool IsDroppable(PileOptions options) => options.ReadOnly || (options.Directory != null && !options.Shared);

    private static (long Bytes, string Source) MemoryOf(PileOptions options, MemoryLimit memory, ManagedHeap heap) =>
        IsManaged(options) && heap.LimitBytes is { } limit && limit < memory.Bytes ? (limit, HeapSource) : (memory.Bytes, memory.Source);

    private static bool IsManaged(PileOptions options) => options.Directory == null && options.Store == StoreKind.Managed;

    private static (long Bytes, string Reason, string Remedy) DefaultOf(
        PileOptions options, (long Bytes, string Source) memory, ManagedHeap heap)
    {
        long bytes = (long)(options.MemoryShare * memory.Bytes);
        string reason = $"{100 * options.MemoryShare:0.##} % of the {memory.Bytes:N0} bytes that {memory.Source}";
        string remedy = $"Raise {OptionName} or {nameof(PileOptions.MemoryShare)}";
        long heapBytes = heap.IsConfigured ? heap.LimitBytes!.Value : heap.CommittedBytes;
        if (!IsManaged(options) && memory.Bytes - heapBytes < bytes)
        {
            bytes = Math.Max(0, memory.Bytes - heapBytes);
            reason = $"what is left of the {memory.Bytes:N0} bytes that {memory.Source} beside the {heapBytes:N0} bytes that "
                + (heap.IsConfigured ? HeapSource : "the managed heap has taken");
            remedy = heap.IsConfigured ? $"Raise {OptionName} or lower {ManagedHeap.LimitName}" : $"Raise {OptionName}";
        }
        bytes = bytes / SizeClasses.PageBytes * SizeClasses.PageBytes;
        return bytes >= PileOptions.MinLimitBytes ? (bytes, reason, remedy) : throw new ArgumentException(
            $"{OptionName} is not set, and its default, {reason}, is {bytes:N0} bytes, less than the least of "
            + $"{PileOptions.MinLimitBytes:N0}. Give the process more memory. {remedy}.", nameof(options));
    }

    private string DescribeReason()
    {
        if (_memoryOfStore == null && Reason == null)
            return Bytes == long.MaxValue ? "its pages are in files, and the system drops them from memory when it is short" : OptionName;
        string reason = Reason ?? OptionName;
        return _memory.Available() is { } available ? $"{reason}; {available:N0} bytes of memory are available now" : reason;
    }
}
