using System;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Tables;

namespace BigPile.Caching.Operations;

/// <summary>An entry that a walk came by, and that its table's index may not know, as it was seen under no lock.</summary>
/// <remarks>
/// It counts only if it <see cref="IsUnchanged"/> once its key's bucket is locked: then nobody changes or frees it.
/// Filled in place, field by field: to copy what was just written in parts makes the processor wait until it has left its store buffer.
/// </remarks>
internal unsafe struct Found
{
    /// <summary>Where the block is; 0: there is nothing to be taken in.</summary>
    internal ulong Address;

    /// <summary>The hash of its key.</summary>
    internal ulong Hash;

    /// <summary>The block.</summary>
    internal EntryView View;

    /// <summary>What the block begins with.</summary>
    internal readonly EntryHead Head => new(View.Payload);

    internal readonly long PayloadBytes => View.PayloadBytes;

    /// <summary>Whether the block is still the one that was seen, so that what was read of it is whole.</summary>
    internal readonly bool IsUnchanged() => View.IsUnchanged();

    /// <summary>The key, where it lies.</summary>
    internal readonly KeyProbe KeyOf(in EntryHead head) => new(new ReadOnlySpan<byte>(head.Key, head.KeyBytes), Hash);
}
