using System;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Tables;

namespace BigPile.Caching.Operations;

/// <summary>An entry that a walk came by, and that its table's index may not know, as it was seen under no lock.</summary>
/// <remarks>It counts only if it <see cref="IsUnchanged"/> once its key's bucket is locked: then nobody changes or frees it.</remarks>
internal readonly unsafe struct Found(ulong address, in EntryView view, in EntryHead head, ulong hash)
{
    private readonly EntryView _view = view;

    /// <summary>What the block begins with.</summary>
    internal readonly EntryHead Head = head;

    /// <summary>Where the block is.</summary>
    internal ulong Address => address;

    /// <summary>The hash of its key.</summary>
    internal ulong Hash => hash;

    /// <summary>Whether there is nothing to be taken in.</summary>
    internal bool IsNone => address == 0;

    internal long PayloadBytes => _view.PayloadBytes;

    /// <summary>Its key, where it lies.</summary>
    internal KeyProbe Key => new(new ReadOnlySpan<byte>(Head.Key, Head.KeyBytes), Hash);

    /// <summary>Whether the block is still the one that was seen, so that what was read of it is whole.</summary>
    internal bool IsUnchanged() => _view.IsUnchanged();
}
