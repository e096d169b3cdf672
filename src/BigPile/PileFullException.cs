using System;
using BigPile.Memory.Concurrency;

namespace BigPile;

/// <summary>
/// There is no space: within the limit of the pile or of the table, in the store, which could not grow, or in the table of shadow headers,
/// which a flush empties. The message says which, and what to do. The pile is as it was before the call.
/// </summary>
public sealed class PileFullException : PileException
{
    /// <summary>Makes an exception with a message.</summary>
    public PileFullException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PileFullException(string message, Exception? innerException) : base(message, innerException)
    {
    }

    /// <summary>
    /// The event count of <see cref="EventCount"/> before the search that failed; null if it was not a search for memory.
    /// </summary>
    internal int? ObservedEvents { get; init; }

    /// <summary>The size of the block that found no space; 0 where space was lacking for something else.</summary>
    internal long BlockBytes { get; init; }

    /// <summary>Whether that block may take the space of those that may be evicted, as it may be itself, or is large.</summary>
    internal bool IsEvictable { get; init; }
}
