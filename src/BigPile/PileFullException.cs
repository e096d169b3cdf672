using System;

namespace BigPile;

/// <summary>The pile has no room within its limit, or the store could not grow. The pile is as it was before the call.</summary>
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
    /// When the room was searched for, as <see cref="Allocation.GivingBack"/> counts; none if it was not for room in the pile.
    /// </summary>
    internal int? LookedAt { get; init; }
}
