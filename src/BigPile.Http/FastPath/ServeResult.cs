namespace BigPile.Http.FastPath;

/// <summary>Why the door stopped serving.</summary>
internal enum ServeResult
{
    /// <summary>The connection is at its end.</summary>
    End,

    /// <summary>The stack asked for its reader back.</summary>
    Canceled,

    /// <summary>A request of the stack is next.</summary>
    HandOver,
}
