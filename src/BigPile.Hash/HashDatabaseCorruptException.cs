using System;

namespace BigPile.Hash;

/// <summary>The file is no hash database, or has bytes that no hash database writes; the message names the offset.</summary>
public sealed class HashDatabaseCorruptException : HashDatabaseException
{
    /// <summary>Makes an exception with a message.</summary>
    public HashDatabaseCorruptException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public HashDatabaseCorruptException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
