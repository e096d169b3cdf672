using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Hash.Records;

namespace BigPile.Hash.Access;

/// <summary>Changes records, each under the lock of its stripe.</summary>
internal static class RecordWriter
{
    /// <summary>Lets an edit inspect a record, and applies its decision.</summary>
    [SkipLocalsInit]
    internal static RecordChangeKind Edit<TEdit>(DatabaseState database, ReadOnlySpan<byte> key, ref TEdit edit)
        where TEdit : struct, IRecordEdit, allows ref struct
    {
        database.ThrowIfNotWritable();
        ulong hash = database.HashOf(key);
        int index = SeqLockStripes.IndexOf(hash);
        ref Stripe stripe = ref database.Stripes[index];
        Span<byte> buffer = stackalloc byte[RecordFile.BufferBytes];
        stripe.Lock.Enter();
        try
        {
            RecordStore store = database.Store;
            // A record must not be changed while an older version of it could still be found by a recovery.
            if (store.PendingFrees.HasUnmarked)
                store.PendingFrees.RetryMarks();
            LookupResult result = store.File.Find(key, hash, buffer, out RecordLocation location, edit.NeedsValue);
            if (result == LookupResult.Invalid)
                throw store.File.CorruptAt(location.Offset);
            Debug.Assert((result == LookupResult.Found) == (location.Offset != 0), "An offset tells a record from its absence.");
            RecordChangeKind kind = Decide(store.File, buffer, location, ref edit);
            if (kind == RecordChangeKind.Keep || (kind == RecordChangeKind.Remove && result == LookupResult.Absent))
                return RecordChangeKind.Keep;
            if (kind == RecordChangeKind.Set)
                CheckLengths(database.Options, key.Length, edit.NewValue.Length);
            stripe.Lock.BeginChange();
            if (kind == RecordChangeKind.Set)
                store.PutLocked(index, ref stripe, location, key, edit.NewValue);
            else
                store.RemoveLocked(index, ref stripe, location, key);
            Debug.Assert(database.Store == store, "A rebuild replaces the file under all stripes.");
            // A running rebuild has already copied this hash: repeat the change in the copy, under the same lock.
            if (hash < stripe.CopiedTo)
                CopyChanges.Replicate(database, index, ref stripe, hash, key, kind == RecordChangeKind.Set, edit.NewValue);
            return kind;
        }
        finally
        {
            SeqLockStripes.Unlock(ref stripe);
        }
    }

    private static RecordChangeKind Decide<TEdit>(
        RecordFile file, scoped ReadOnlySpan<byte> buffer, in RecordLocation location, ref TEdit edit)
        where TEdit : struct, IRecordEdit, allows ref struct
    {
        if (location.Offset == 0 || !edit.NeedsValue)
            return edit.Decide(location.Offset != 0, default);
        using var pooled = new PooledBytes(location.ValueLength, out Span<byte> value);
        return file.ReadValue(buffer, location, value) ? edit.Decide(true, value) : throw file.CorruptAt(location.Offset);
    }

    // Only stored values are checked: a record written under higher limits can still be read and removed.
    private static void CheckLengths(HashDatabaseOptions options, int keyLength, int valueLength)
    {
        CheckLength(keyLength, options.MaxKeyLength, "key", nameof(HashDatabaseOptions.MaxKeyLength));
        CheckLength(valueLength, options.MaxValueLength, "value", nameof(HashDatabaseOptions.MaxValueLength));
    }

    private static void CheckLength(int length, int limit, string thing, string option)
    {
        if (length > limit)
        {
            throw new ArgumentException(
                $"The {thing} has {length:N0} bytes, and the limit is {limit:N0}. Shorten it, or raise HashDatabaseOptions.{option}.",
                thing);
        }
    }
}
