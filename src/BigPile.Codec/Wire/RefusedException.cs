using System;

namespace BigPile.Codec.Wire;

/// <summary>Something in a graph has no place in a pile. The codec locates it and reports it with its path.</summary>
internal sealed class RefusedException(Type type, string reason) : Exception(reason)
{
    public Type Type => type;
}
