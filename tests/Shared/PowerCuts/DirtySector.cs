namespace BigPile.Testing;

/// <summary>A sector that was stored and not written through.</summary>
/// <param name="File">Where.</param>
/// <param name="Offset">Its first byte.</param>
internal readonly record struct DirtySector(SimulatedFile File, int Offset);
