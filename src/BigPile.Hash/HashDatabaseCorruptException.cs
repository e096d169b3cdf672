using System;

namespace BigPile.Hash;

/// <summary>The file is no hash database, or has bytes that no hash database writes; the message names the offset.</summary>
public sealed class HashDatabaseCorruptException : HashDatabaseException
{
    /// <summary>What helps, behind another remedy.</summary>
    internal const string Remedy = "restore it from a copy, or open it with HashDatabaseOptions.Restore as far as it is sound.";

    /// <summary>What helps.</summary>
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
