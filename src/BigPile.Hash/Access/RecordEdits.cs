using System;
using System.Buffers;
using System.Buffers.Binary;

namespace BigPile.Hash.Access;

/// <summary>Stores a value.</summary>
internal readonly ref struct SetEdit(ReadOnlySpan<byte> value, bool overwrite) : IRecordEdit
{
    private readonly ReadOnlySpan<byte> _value = value;

    public bool NeedsValue => false;

    public ReadOnlySpan<byte> NewValue => _value;

    public RecordChangeKind Decide(bool exists, scoped ReadOnlySpan<byte> value) =>
        exists && !overwrite ? RecordChangeKind.Keep : RecordChangeKind.Set;
}

/// <summary>Removes a record.</summary>
internal readonly struct RemoveEdit : IRecordEdit
{
    public bool NeedsValue => false;

    public ReadOnlySpan<byte> NewValue => default;

    public RecordChangeKind Decide(bool exists, scoped ReadOnlySpan<byte> value) => RecordChangeKind.Remove;
}

/// <summary>Appends to a value. Rents a buffer, so it must be disposed.</summary>
internal ref struct AppendEdit(ReadOnlySpan<byte> added, ReadOnlySpan<byte> delimiter, int maxLength) : IRecordEdit
{
    private readonly ReadOnlySpan<byte> _added = added;
    private readonly ReadOnlySpan<byte> _delimiter = delimiter;
    private byte[]? _rented;

    public readonly bool NeedsValue => true;

    public readonly ReadOnlySpan<byte> NewValue => _rented == null ? _added : _rented.AsSpan(0, Length);

    internal int Length { get; private set; }

    public RecordChangeKind Decide(bool exists, scoped ReadOnlySpan<byte> value)
    {
        Length = _added.Length;
        if (!exists)
            return RecordChangeKind.Set;
        long length = (long)value.Length + _delimiter.Length + _added.Length;
        if (length > maxLength)
        {
            throw new ArgumentException(
                $"The value would have {length:N0} bytes, and the limit is {maxLength:N0}. Begin another record, or raise "
                + $"HashDatabaseOptions.{nameof(HashDatabaseOptions.MaxValueLength)}.", "value");
        }
        Length = (int)length;
        _rented = ArrayPool<byte>.Shared.Rent(Length);
        value.CopyTo(_rented);
        _delimiter.CopyTo(_rented.AsSpan(value.Length));
        _added.CopyTo(_rented.AsSpan(value.Length + _delimiter.Length));
        return RecordChangeKind.Set;
    }

    public readonly void Dispose()
    {
        if (_rented != null)
            ArrayPool<byte>.Shared.Return(_rented);
    }
}

/// <summary>Changes a record if it has the expected value.</summary>
internal struct CompareEdit(byte[]? expected, byte[]? desired) : IRecordEdit
{
    public readonly bool NeedsValue => expected != null;

    public readonly ReadOnlySpan<byte> NewValue => desired;

    internal bool IsExpected { get; private set; }

    public RecordChangeKind Decide(bool exists, scoped ReadOnlySpan<byte> value)
    {
        IsExpected = exists ? expected != null && value.SequenceEqual(expected) : expected == null;
        return !IsExpected ? RecordChangeKind.Keep : desired == null ? RecordChangeKind.Remove : RecordChangeKind.Set;
    }
}

/// <summary>Adds to a counter.</summary>
internal ref struct IncrementEdit(long delta, long initial, Span<byte> buffer) : IRecordEdit
{
    private readonly Span<byte> _buffer = buffer;

    public readonly bool NeedsValue => true;

    public readonly ReadOnlySpan<byte> NewValue => _buffer;

    internal long Sum { get; private set; }

    public RecordChangeKind Decide(bool exists, scoped ReadOnlySpan<byte> value)
    {
        if (exists && value.Length != sizeof(long))
        {
            throw new InvalidOperationException(
                $"The value has {value.Length:N0} bytes, and a counter has {sizeof(long)}. Remove the record, or count under another key.");
        }
        Sum = checked((exists ? BinaryPrimitives.ReadInt64LittleEndian(value) : initial) + delta);
        BinaryPrimitives.WriteInt64LittleEndian(_buffer, Sum);
        return RecordChangeKind.Set;
    }
}

/// <summary>Applies the decision of a callback.</summary>
internal ref struct ProcessEdit<TState>(DatabaseState database, RecordProcessor<TState> processor, TState state) : IRecordEdit
    where TState : allows ref struct
{
    private readonly TState _state = state;
    private RecordChange _change;

    public readonly bool NeedsValue => true;

    public readonly ReadOnlySpan<byte> NewValue => _change.Value.Span;

    public RecordChangeKind Decide(bool exists, scoped ReadOnlySpan<byte> value)
    {
        database.BeginCallback();
        try
        {
            _change = processor(exists, value, _state);
        }
        finally
        {
            database.EndCallback();
        }
        return _change.Kind;
    }
}

/// <summary>Decides how a record changes. Runs while the record's stripe is locked.</summary>
internal interface IRecordEdit
{
    /// <summary>Whether <see cref="Decide"/> needs the value, not only whether the record exists.</summary>
    bool NeedsValue { get; }

    /// <summary>Inspects the record, and decides.</summary>
    /// <param name="exists">Whether the record exists.</param>
    /// <param name="value">The value, if <see cref="NeedsValue"/>; otherwise empty.</param>
    RecordChangeKind Decide(bool exists, scoped ReadOnlySpan<byte> value);

    /// <summary>The value to store when the decision is to set the record.</summary>
    ReadOnlySpan<byte> NewValue { get; }
}
