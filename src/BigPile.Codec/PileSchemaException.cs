using System;

namespace BigPile;

/// <summary>A stored type and the application's type of the same name can't be reconciled.</summary>
public sealed class PileSchemaException : PileSerializationException
{
    /// <summary>Makes an exception with a message.</summary>
    public PileSchemaException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PileSchemaException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
