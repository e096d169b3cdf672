using System;

namespace BigPile.Hash;

/// <summary>A record as a walk through a <see cref="HashDatabase"/> found it: a copy, which stays as it is.</summary>
/// <param name="Key">The key.</param>
/// <param name="Value">The value.</param>
public readonly record struct HashRecord(ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Value);
