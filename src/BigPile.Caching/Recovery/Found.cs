using System;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;

namespace BigPile.Caching.Recovery;

/// <summary>An entry that a walk found, read under no lock. The table's index may not know it.</summary>
/// <remarks>
/// Valid only if it <see cref="IsUnchanged"/> once the bucket of its key is locked; from then on nothing changes or frees it. Fill it in
/// place, field by field. A copy right after partial writes stalls on store forwarding.
/// </remarks>
internal unsafe struct Found
{
    /// <summary>The address of the block; 0: there is nothing to insert.</summary>
    internal ulong Address;

    /// <summary>The hash of its key.</summary>
    internal ulong Hash;

    internal BlockSnapshot View;

    internal readonly EntryHead Head => new(View.Payload);

    internal readonly long PayloadBytes => View.PayloadBytes;

    /// <summary>Whether the block is the one that was read, so that all data read from it is consistent.</summary>
    internal readonly bool IsUnchanged() => View.Validate();

    /// <summary>The key, in place.</summary>
    internal readonly KeyProbe KeyOf(in EntryHead head) => new(new ReadOnlySpan<byte>(head.Key, head.KeyBytes), Hash);
}
