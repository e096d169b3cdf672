using System;

namespace BigPile.Kinds;

internal sealed class OwnException(string message, int code, Exception inner) : InvalidOperationException(message, inner)
{
    public int Code { get; } = code;
}
