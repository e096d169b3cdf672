using System;

namespace BigPile.Hash.Access;

/// <summary>Decides what becomes of a record, while its stripe is held.</summary>
internal interface IRecordEdit
{
    /// <summary>Whether the value is to be seen, and not only whether it is there.</summary>
    bool NeedsValue { get; }

    /// <summary>Looks at the record.</summary>
    /// <param name="exists">Whether it is there.</param>
    /// <param name="value">Its value, where it is needed.</param>
    RecordChangeKind Decide(bool exists, scoped ReadOnlySpan<byte> value);

    /// <summary>The value that the record gets when it is set.</summary>
    ReadOnlySpan<byte> NewValue { get; }
}
