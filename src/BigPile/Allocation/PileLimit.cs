using BigPile.Memory.Limits;
using Microsoft.Extensions.Logging;

namespace BigPile.Allocation;

/// <summary>The most bytes that a pile's segments may take together, decided once at its opening.</summary>
/// <param name="Bytes">The limit; <see cref="long.MaxValue"/>: none.</param>
/// <param name="Reason">Why it is that.</param>
/// <param name="Remedy">What raises it.</param>
/// <param name="Memory">The memory that the process may use.</param>
/// <remarks>Thread safety: immutable.</remarks>
internal sealed record PileLimit(long Bytes, string Reason, string Remedy, MemoryLimit Memory)
{
    /// <summary>The option that sets the limit.</summary>
    internal const string OptionName = $"{nameof(PileOptions)}.{nameof(PileOptions.MaxBytes)} (Pile:MaxBytes of a server)";

    /// <summary>
    /// The memory that the segments share with all else, and who limits it; <see langword="null"/>: the system can drop their pages.
    /// </summary>
    internal (long Bytes, string Source)? Shared { get; init; }

    /// <summary>Why a put that needs more is refused, and what helps; for messages.</summary>
    internal string Refusal => $"the limit is {Bytes:N0} bytes{(Reason == OptionName ? "" : ", " + Reason)}. {Remedy}, or delete objects";

    private bool IsExceeded { get; init; } // it is what was there

    /// <summary>This limit, or what the pile holds when it is opened, if that is more.</summary>
    internal PileLimit ForHeld(long heldBytes) => heldBytes <= Bytes ? this : this with
    {
        Bytes = heldBytes,
        Reason = $"which the pile had when it was opened, above {Bytes:N0} bytes, {Reason}",
        IsExceeded = true,
    };

    /// <summary>Logs the limit and where it comes from, and warns of one that does not fit.</summary>
    /// <param name="logger">The pile's log.</param>
    /// <param name="name">The pile's name.</param>
    internal void Log(ILogger logger, string name)
    {
        if (IsExceeded)
        {
            logger.LogWarning("The pile '{Name}' can't grow: {Refusal}, and compact it", name, Refusal);
            return;
        }
        if (Bytes != long.MaxValue)
            logger.LogInformation("The pile '{Name}' takes at most {Limit:N0} bytes: {Reason}", name, Bytes, DescribeReason());
        else
            logger.LogInformation("The pile '{Name}' has no limit: {Reason}", name, DescribeReason());
        if (Shared is { } memory && memory.Bytes < Bytes && Bytes != long.MaxValue)
        {
            logger.LogWarning(
                "The pile '{Name}' may take {Limit:N0} bytes, more than the {Memory:N0} bytes that {Source}: the process may end before "
                + "the pile is full. Lower " + OptionName + ", or leave it out", name, Bytes, memory.Bytes, memory.Source);
        }
    }

    private string DescribeReason() => Shared != null && Memory.Available() is { } available
        ? $"{Reason}; {available:N0} bytes of memory are available now"
        : Reason;
}
