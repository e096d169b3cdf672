using System;
using System.Diagnostics.CodeAnalysis;

namespace BigPile.Caching;

/// <summary>A factory has stated that it made no value: <see cref="FactoryContext{TValue}.Fail"/>.</summary>
[SuppressMessage("Design", "CA1032", Justification = "Only a factory's statement makes one.")]
public sealed class FactoryFailedException : Exception
{
    internal FactoryFailedException(string message) : base(message)
    {
    }
}
