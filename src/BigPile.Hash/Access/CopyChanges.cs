using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using BigPile.Hash.Records;

namespace BigPile.Hash.Access;

/// <summary>Applies changes of records to the copy that a rebuild makes.</summary>
internal static class CopyChanges
{
    /// <summary>Repeats a change in the copy, if a rebuild runs. A failure ends the rebuild, not the caller's operation.</summary>
    internal static void Replicate(
        DatabaseState database, int index, ref Stripe stripe, ulong hash, ReadOnlySpan<byte> key, bool isSet, ReadOnlySpan<byte> value)
    {
        if (database.Copy is not { } copy)
            return;
        Debug.Assert(database.IsHeld(index), "The change is repeated under the stripe that it was made under.");
        try
        {
            Apply(copy, index, ref stripe, hash, key, isSet, value);
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            database.SetCopyLocked(null, e);
        }
    }

    /// <summary>Sets or removes a record of the copy. The caller holds the stripe.</summary>
    [SkipLocalsInit]
    internal static void Apply(
        RecordStore copy, int index, ref Stripe stripe, ulong hash, ReadOnlySpan<byte> key, bool isSet, ReadOnlySpan<byte> value)
    {
        Debug.Assert(SeqLockStripes.IndexOf(hash) == index, "The key belongs to the stripe.");
        Span<byte> buffer = stackalloc byte[RecordFile.BufferBytes];
        LookupResult result = copy.File.Find(key, hash, buffer, out RecordLocation location, readsValue: false);
        if (result == LookupResult.Invalid)
            throw copy.File.CorruptAt(location.Offset);
        // The copy takes its sequences from the stripe, but the stripe's record count belongs to the original.
        var shadow = new Stripe { Sequence = stripe.Sequence };
        if (isSet)
            copy.PutLocked(index, ref shadow, location, key, value);
        else if (result == LookupResult.Found)
            copy.RemoveLocked(index, ref shadow, location, key);
        Debug.Assert(shadow.Sequence >= stripe.Sequence, "A stripe assigns no sequence twice.");
        stripe.Sequence = shadow.Sequence;
    }
}
