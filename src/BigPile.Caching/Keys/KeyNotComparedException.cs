using System;
using System.Diagnostics.CodeAnalysis;

namespace BigPile.Caching.Keys;

/// <summary>A lookup met a key that was put after <see cref="KeyMatcher.Learn"/> compared those of its bucket.</summary>
[SuppressMessage("Design", "CA1032", Justification = "Thrown and caught within the table.")]
[SuppressMessage("Design", "CA1064", Justification = "Thrown and caught within the table.")]
internal sealed class KeyNotComparedException() : Exception("A key has to be compared outside of the pile first.");
