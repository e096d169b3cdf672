using System;

namespace BigPile;

/// <summary>
/// There is no room: within the limit of the pile or of the table, in the store, which could not grow, or for one more object that was
/// moved since the last flush. The message says which, and what to do. The pile is as it was before the call.
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
    /// When the room was searched for, as <see cref="Allocation.ReclaimEvents"/> counts; none if it was not for room in the pile.
    /// </summary>
    internal int? ObservedEvents { get; init; }
}
