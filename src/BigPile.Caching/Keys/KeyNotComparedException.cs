using System;
using System.Diagnostics.CodeAnalysis;

namespace BigPile.Caching.Keys;

/// <summary>A key was met that the application's comparer has yet to look at: it came in after those of its bucket were compared.</summary>
[SuppressMessage("Design", "CA1032", Justification = "Thrown and caught within the table.")]
[SuppressMessage("Design", "CA1064", Justification = "Thrown and caught within the table.")]
internal sealed class KeyNotComparedException() : Exception("A key has to be compared outside of the pile first.");
