using System;

namespace BigPile.Hash.Access;

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
