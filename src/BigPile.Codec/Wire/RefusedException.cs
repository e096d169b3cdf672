using System;

namespace BigPile.Codec.Wire;

/// <summary>An object in a graph can't be stored. The codec catches this, finds the path to the object, and reports both.</summary>
internal sealed class RefusedException(Type type, string reason) : Exception(reason)
{
    public Type Type => type;
}
