using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;

#pragma warning disable CS8500 // pointers to structs with references: on the stack, where the callers' frames keep what they refer to

namespace BigPile.Caching.Tables;

/// <summary>What a put tells the table's feed.</summary>
internal unsafe ref partial struct Upsert
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void DrawVersion()
    {
        // The lane, then the version. Moves and tombstones are not told: the entry stays, and no reader sees a table that is rebuilt.
        if (_table.Feed.IsOn && !_request->IsTombstone)
            EnterFeed();
        _version = _table.NextVersion(_now);
    }

    // Calls, not inlined: see Attempt.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EnterFeed() => _lane = _table.Feed.Enter(_critical);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void TellPut()
    {
        // An entry in the file, or on its way there, is replaced as well.
        bool replaces = _result == PutResult.Replaced || _request->ReplacesSpilled
            || (_table.Disk is { } disk && disk.HasPendingStripeLocked(*_key));
        ChangeKind kind = replaces ? ChangeKind.Replaced : ChangeKind.Added;
        _table.Feed.TellPut(_lane, Payload, _payloadBytes, _spec->IsPlain, _key->Bytes.Length, _version, kind);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void LeaveFeed()
    {
        _table.Feed.Leave(_lane, _isPublished);
        _lane = null;
    }

    private void TellEnded(in LockedEntry entry, EntryState state)
    {
        if (state.Reason() == Counter.Expirations) // else the removal of its tag was told
            _table.Feed.TellGone(_critical, ChangeKind.Expired, entry.Head, entry.PayloadBytes);
    }
}
