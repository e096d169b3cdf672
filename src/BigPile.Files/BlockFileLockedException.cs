using System;
using System.IO;

namespace BigPile.Files;

/// <summary>A file is open already: by a process that writes it, or, for one that is to write it, by some that read it.</summary>
public sealed class BlockFileLockedException : IOException
{
    /// <summary>Makes an exception with a message.</summary>
    public BlockFileLockedException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public BlockFileLockedException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
