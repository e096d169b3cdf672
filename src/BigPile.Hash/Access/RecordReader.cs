using System;
using System.Runtime.CompilerServices;
using BigPile.Hash.Records;

namespace BigPile.Hash.Access;

/// <summary>Reads records without a lock.</summary>
/// <remarks>
/// What is read while a writer changes the stripe may be anything; so nothing of it is believed before the stripe's word was looked at
/// again, neither a value nor that something is wrong.
/// </remarks>
internal static class RecordReader
{
    /// <summary>Reads a value.</summary>
    /// <returns>Whether the record is there.</returns>
    [SkipLocalsInit]
    internal static bool TryRead<TSink>(DatabaseState database, ReadOnlySpan<byte> key, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        database.ThrowIfInCallback();
        ulong hash = database.HashOf(key);
        ref Stripe stripe = ref database.Stripes[SeqLockStripes.IndexOf(hash)];
        Span<byte> buffer = stackalloc byte[RecordFile.BufferBytes];
        while (true)
        {
            long seen = SeqLockStripes.BeginRead(ref stripe);
            RecordFile file = database.Store.File;
            LookupResult result;
            RecordLocation location = default;
            bool fits = true;
            try
            {
                result = file.Find(key, hash, buffer, out location, sink.WantsValue);
                if (result == LookupResult.Found && sink.WantsValue)
                {
                    fits = sink.TryGetBuffer(location.ValueLength, out Span<byte> value);
                    bool isSound = fits ? file.ReadValue(buffer, location, value) : file.IsSoundIn(file.Layout.BucketOf(hash), buffer, location);
                    if (!isSound)
                        result = LookupResult.Invalid; // its length too, which nobody is to be told
                }
            }
            catch (Exception e) when (e is not OutOfMemoryException && !SeqLockStripes.IsUnchanged(ref stripe, seen))
            {
                continue;
            }
            if (!SeqLockStripes.IsUnchanged(ref stripe, seen) && database.Options.Mutation != HashMutation.ReadersDoNotValidate)
                continue;
            if (result == LookupResult.Invalid)
                throw file.CorruptAt(location.Offset);
            if (!fits)
                throw new ArgumentException($"The value has {location.ValueLength:N0} bytes, and the destination is shorter.", "destination");
            return result == LookupResult.Found;
        }
    }
}
