using System;

namespace BigPile;

/// <summary>A pile's files are missing, locked, damaged or of another format.</summary>
public sealed class PileStorageException : PileException
{
    /// <summary>Makes an exception with a message.</summary>
    public PileStorageException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PileStorageException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
