using System;
using System.Collections.Generic;

namespace BigPile.Caching.Tests.Inside;

/// <summary>Takes keys for the same whatever their case, and calls something whenever it compares two.</summary>
internal sealed class CallingComparer : IEqualityComparer<string>
{
    internal Action? Comparing { get; set; }

    public bool Equals(string? x, string? y)
    {
        Comparing?.Invoke();
        return StringComparer.OrdinalIgnoreCase.Equals(x, y);
    }

    public int GetHashCode(string key) => StringComparer.OrdinalIgnoreCase.GetHashCode(key);
}
