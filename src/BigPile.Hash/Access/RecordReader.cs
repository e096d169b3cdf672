using System;
using System.Runtime.CompilerServices;
using BigPile.Hash.Checking;
using BigPile.Hash.Records;
using BigPile.Memory.Concurrency;

namespace BigPile.Hash.Access;

/// <summary>Reads records without a lock.</summary>
/// <remarks>
/// A read that races with a writer can return any bytes. No result, neither a value nor damage, is trusted before
/// <see cref="SequenceLock.IsUnchanged"/> has confirmed it.
/// </remarks>
internal static class RecordReader
{
    /// <summary>Reads a value.</summary>
    /// <returns>Whether the record exists.</returns>
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
            ulong seen = stripe.Lock.WaitUntilEven();
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
                    bool isSound = fits
                        ? file.ReadValue(buffer, location, value)
                        : file.IsSoundIn(file.Layout.BucketOf(hash), buffer, location);
                    if (!isSound)
                        result = LookupResult.Invalid; // its length is not trustworthy either, so do not report it
                }
            }
            // A racing writer can cause any exception: retry. An exception without a race is real.
            catch (Exception e) when (e is not OutOfMemoryException && !stripe.Lock.IsUnchanged(seen))
            {
                continue;
            }
            if (!stripe.Lock.IsUnchanged(seen) && !HashMutation.ReadersDoNotValidate)
                continue;
            if (result == LookupResult.Invalid)
                throw file.CorruptAt(location.Offset);
            if (!fits)
            {
                throw new ArgumentException(
                    $"The value has {location.ValueLength:N0} bytes, and the destination is shorter.", "destination");
            }
            return result == LookupResult.Found;
        }
    }
}
