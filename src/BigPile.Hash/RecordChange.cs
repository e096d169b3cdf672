using System;

namespace BigPile.Hash;

/// <summary>The change that a <see cref="RecordProcessor{TState}"/> requests for the record that it was given.</summary>
public readonly struct RecordChange
{
    private RecordChange(RecordChangeKind kind, ReadOnlyMemory<byte> value)
    {
        Kind = kind;
        Value = value;
    }

    /// <summary>The record stays as it is, or absent. The default.</summary>
    public static RecordChange Keep => default;

    /// <summary>The record is removed, if it exists.</summary>
    public static RecordChange Remove => new(RecordChangeKind.Remove, default);

    internal RecordChangeKind Kind { get; }

    internal ReadOnlyMemory<byte> Value { get; }

    /// <summary>The record is created, or gets a new value.</summary>
    /// <param name="value">The value; it is copied when the callback has returned.</param>
    public static RecordChange Set(ReadOnlyMemory<byte> value) => new(RecordChangeKind.Set, value);
}

/// <summary>The kinds of <see cref="RecordChange"/>.</summary>
internal enum RecordChangeKind
{
    Keep,
    Set,
    Remove,
}
