using System;

namespace BigPile.Hash;

/// <summary>The file is not a hash database, or is damaged; the message names the offset.</summary>
public sealed class HashDatabaseCorruptException : HashDatabaseException
{
    /// <summary>The remedy, as the end of a sentence.</summary>
    internal const string Remedy = "restore it from a copy, or open it with HashDatabaseOptions.Restore as far as it is sound.";

    /// <summary>The remedy, as a sentence.</summary>
    internal const string RemedyFirst = "Restore it from a copy, or open it with HashDatabaseOptions.Restore as far as it is sound.";

    /// <summary>Makes an exception with a message.</summary>
    public HashDatabaseCorruptException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public HashDatabaseCorruptException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
