using System;
using System.IO;
using System.Runtime.CompilerServices;
using BigPile.Hash.Records;

namespace BigPile.Hash.Access;

/// <summary>Does to the copy that a rebuild makes what was done to a record.</summary>
internal static class CopyChanges
{
    /// <summary>Repeats a change. Where it fails the rebuild does, and not the caller.</summary>
    internal static void Repeat(
        Session session, int index, ref Stripe stripe, ulong hash, ReadOnlySpan<byte> key, bool isSet, ReadOnlySpan<byte> value)
    {
        if (session.Copy is not { } copy)
            return;
        try
        {
            Do(copy, index, ref stripe, hash, key, isSet, value);
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            session.SetCopyLocked(null, e);
        }
    }

    /// <summary>Sets or removes a record of the copy. The stripe's count is of the other store.</summary>
    [SkipLocalsInit]
    internal static void Do(
        RecordStore copy, int index, ref Stripe stripe, ulong hash, ReadOnlySpan<byte> key, bool isSet, ReadOnlySpan<byte> value)
    {
        Span<byte> room = stackalloc byte[RecordFile.RoomBytes];
        Finding finding = copy.File.Find(key, hash, room, out Place place, readsValue: false);
        if (finding == Finding.Bad)
            throw copy.File.Damaged(place.Offset);
        var shadow = new Stripe { Sequence = stripe.Sequence };
        if (isSet)
            copy.PutLocked(index, ref shadow, place, key, value);
        else if (finding == Finding.Found)
            copy.RemoveLocked(index, ref shadow, place, key);
        stripe.Sequence = shadow.Sequence;
    }
}
