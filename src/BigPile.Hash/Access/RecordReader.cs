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
    internal static bool TryRead<TSink>(Session session, ReadOnlySpan<byte> key, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        session.CheckOutside();
        ulong hash = session.HashOf(key);
        ref Stripe stripe = ref session.Stripes[Stripes.IndexOf(hash)];
        Span<byte> room = stackalloc byte[RecordFile.RoomBytes];
        while (true)
        {
            long noted = Stripes.Note(ref stripe);
            RecordFile file = session.Store.File;
            Finding finding;
            Place place = default;
            bool fits = true;
            try
            {
                finding = file.Find(key, hash, room, out place, sink.WantsValue);
                if (finding == Finding.Found && sink.WantsValue)
                {
                    fits = sink.TryGetRoom(place.ValueLength, out Span<byte> value);
                    bool isSound = fits ? file.ReadValue(room, place, value) : file.IsSoundIn(file.Layout.BucketOf(hash), room, place);
                    if (!isSound)
                        finding = Finding.Bad; // its length too, which nobody is to be told
                }
            }
            catch (Exception e) when (e is not OutOfMemoryException && !Stripes.IsAsNoted(ref stripe, noted))
            {
                continue;
            }
            if (!Stripes.IsAsNoted(ref stripe, noted) && session.Options.Control != HashControl.ReadersDoNotLookAgain)
                continue;
            if (finding == Finding.Bad)
                throw file.Damaged(place.Offset);
            if (!fits)
                throw new ArgumentException($"The value has {place.ValueLength:N0} bytes, and the destination is shorter.", "destination");
            return finding == Finding.Found;
        }
    }
}
