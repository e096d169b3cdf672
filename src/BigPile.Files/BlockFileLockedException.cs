using System;
using System.IO;

namespace BigPile.Files;

/// <summary>A file is already open: by a process that writes it, or, if it was to be opened for writing, by readers.</summary>
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
