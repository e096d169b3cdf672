using System;
using System.IO;

namespace BigPile.Files;

/// <summary>A file could not grow: the disk is full, or the file has reached its limit. The file is unchanged.</summary>
public sealed class BlockFileFullException : IOException
{
    /// <summary>Makes an exception with a message.</summary>
    public BlockFileFullException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public BlockFileFullException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
