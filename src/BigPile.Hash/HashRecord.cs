using System;

namespace BigPile.Hash;

/// <summary>A record that an enumeration of a <see cref="HashDatabase"/> returned: a copy, which never changes.</summary>
/// <param name="Key">The key.</param>
/// <param name="Value">The value.</param>
public readonly record struct HashRecord(ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Value);
