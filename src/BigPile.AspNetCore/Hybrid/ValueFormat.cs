using System;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Serializes values of one type, for the table and for the second level.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal abstract class ValueFormat<T>
{
    /// <summary>Whether callers may share one object.</summary>
    internal bool IsImmutable { get; } = ImmutableTypes.Contains(typeof(T));

    /// <summary>Writes a value in the table's format to an empty buffer.</summary>
    internal abstract ValueKind Encode(T value, PileBuffer target);

    /// <summary>Reads what <see cref="Encode"/> wrote.</summary>
    internal abstract T Decode(ValueKind kind, PileBuffer source);

    /// <summary>Appends a value in a format that any process can read.</summary>
    /// <param name="value">The value.</param>
    /// <param name="kind">The kind that <see cref="Encode"/> returned.</param>
    /// <param name="encoded">The bytes that <see cref="Encode"/> wrote.</param>
    /// <param name="target">Where the bytes go.</param>
    internal abstract void WritePortable(T value, ValueKind kind, PileBuffer encoded, PileBuffer target);

    /// <summary>Reads what <see cref="WritePortable"/> wrote.</summary>
    internal abstract T ReadPortable(ValueKind kind, ReadOnlySpan<byte> source);

    /// <summary>Converts what the table returned to a value, if it is one of this type.</summary>
    internal abstract bool TryTake(object? stored, out T value);

    protected static bool TryCast(object? stored, out T value)
    {
        if (stored is T typed)
        {
            value = typed;
            return true;
        }
        value = default!;
        return stored is null && default(T) is null;
    }
}
