using System;

namespace BigPile.Torture;

/// <summary>The command line can't be followed; the message says why, and what to do.</summary>
internal sealed class BadArgumentException : Exception
{
    public BadArgumentException()
    {
    }

    public BadArgumentException(string message) : base(message)
    {
    }

    public BadArgumentException(string message, Exception inner) : base(message, inner)
    {
    }
}
