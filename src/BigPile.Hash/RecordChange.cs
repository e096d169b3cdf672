using System;

namespace BigPile.Hash;

/// <summary>What a <see cref="RecordProcessor{TState}"/> wants done to the record that it saw.</summary>
public readonly struct RecordChange
{
    private RecordChange(RecordChangeKind kind, ReadOnlyMemory<byte> value)
    {
        Kind = kind;
        Value = value;
    }

    /// <summary>The record stays as it is, or absent. This is the default.</summary>
    public static RecordChange Keep => default;

    /// <summary>The record goes, if it is there.</summary>
    public static RecordChange Remove => new(RecordChangeKind.Remove, default);

    internal RecordChangeKind Kind { get; }

    internal ReadOnlyMemory<byte> Value { get; }

    /// <summary>The record gets a value, or comes to be.</summary>
    /// <param name="value">The value; it is copied when the callback has returned.</param>
    public static RecordChange Set(ReadOnlyMemory<byte> value) => new(RecordChangeKind.Set, value);
}
