using System;

namespace BigPile.Hash;

/// <summary>Inspects a record, and returns the change to make.</summary>
/// <remarks>
/// Runs while the record is locked: other writers of it wait, and readers still see the old value. It must not call the database, which
/// throws an <see cref="InvalidOperationException"/>, nor wait for a thread that does.
/// </remarks>
/// <typeparam name="TState">The type of <paramref name="state"/>.</typeparam>
/// <param name="exists">Whether the record exists.</param>
/// <param name="value">The value; empty if the record does not exist. It must not be used after the callback has returned.</param>
/// <param name="state">The argument of the caller.</param>
public delegate RecordChange RecordProcessor<in TState>(bool exists, ReadOnlySpan<byte> value, TState state)
    where TState : allows ref struct;
