namespace BigPile;

/// <summary>An object, as returned by an enumeration of a pile.</summary>
/// <param name="Pointer">The pointer that <c>Put</c> returned for the object.</param>
/// <param name="SizeBytes">The bytes of its payload.</param>
/// <param name="Kind">What the payload is.</param>
public readonly record struct PileEntry(PilePointer Pointer, int SizeBytes, PayloadKind Kind);
