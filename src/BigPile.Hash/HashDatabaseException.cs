using System;
using System.IO;

namespace BigPile.Hash;

/// <summary>A hash database cannot be used, or cannot do what it was asked for; the message says why, and what helps.</summary>
public class HashDatabaseException : IOException
{
    /// <summary>Makes an exception with a message.</summary>
    public HashDatabaseException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public HashDatabaseException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
