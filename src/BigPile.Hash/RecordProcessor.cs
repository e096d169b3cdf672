using System;

namespace BigPile.Hash;

/// <summary>Looks at a record, and says what becomes of it.</summary>
/// <remarks>
/// It runs while the record is locked: others who write it wait, and readers still see it as it was. It must not call the database, which
/// throws an <see cref="InvalidOperationException"/>, nor wait for a thread that does.
/// </remarks>
/// <typeparam name="TState">The type of what the caller passes on.</typeparam>
/// <param name="exists">Whether the record is there.</param>
/// <param name="value">Its value; empty when it is not there. It is not to be used once this has returned.</param>
/// <param name="state">What the caller passed on.</param>
public delegate RecordChange RecordProcessor<in TState>(bool exists, ReadOnlySpan<byte> value, TState state)
    where TState : allows ref struct;
