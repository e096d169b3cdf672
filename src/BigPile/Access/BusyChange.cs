using System.Diagnostics;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>
/// A change of one object's payload: in a critical region, with the lock of its stripe, and with its block busy, until it is disposed.
/// </summary>
/// <remarks>
/// Lock order: the stripe, then the busy bit. The stripe keeps other replacements away from the sequence, the busy bit keeps deletions,
/// leases and moves from the block. What ends without <see cref="Publish"/>, by a failure or an exception, leaves the block as it was.
/// </remarks>
internal unsafe ref struct BusyChange
{
    private readonly ChangeScope _scope;
    private readonly BlockStore _blocks;
    private bool _isBusy; // the block is this change's

    internal readonly SeqLockStripes.Stripe* Stripe; // of the pointer's address
    internal readonly Block Origin; // the block that the pointer names, as it was before it was busy
    internal readonly bool IsFound; // false if the pointer names no live object

    internal BusyChange(BlockStore blocks, PilePointer pointer)
    {
        _blocks = blocks;
        blocks.EnsureShadowCapacity();
        _scope = blocks.EnterWriter();
        Stripe = blocks.Stripes.Of(pointer.Address);
        Stripe->Lock.Enter();
        try
        {
            IsFound = _isBusy = blocks.TryMakeBusy(pointer, out Origin);
        }
        catch
        {
            Leave(); // an entry of a table, or a page that can't be recovered
            throw;
        }
    }

    /// <summary>Makes the sequence odd: readers start over until <see cref="EndWrite"/>.</summary>
    internal readonly void BeginWrite()
    {
        AssertHeld();
        Stripe->BeginChangeLocked(Origin.Address); // the pointer's stripe, even if its payload lies behind a link: readers know no other
    }

    /// <summary>Makes the sequence even: who sees it sees payload and header.</summary>
    internal readonly void EndWrite() => Stripe->EndChangeLocked();

    /// <summary>Stores the block's current header, and so ends the busy state.</summary>
    internal void Publish(BlockHeader header)
    {
        Debug.Assert(_isBusy, "Nobody else changes the header until it is published, and then it is published once.");
        _isBusy = false; // before: once the header is stored, another thread may have the block
        _blocks.SetHeader(Origin, header);
    }

    /// <summary>Ends the busy state with the header as it was before: what it names may have changed.</summary>
    internal void PublishUnchanged()
    {
        Debug.Assert(_isBusy, "Nobody else changes the header until it is published, and then it is published once.");
        _isBusy = false;
        Origin.Publish(Origin.Header);
    }

    /// <summary>An assertion: the change has the stripe and the block, and is not under way.</summary>
    [Conditional("DEBUG")]
    internal readonly void AssertHeld() => Debug.Assert(
        _isBusy && Stripe->Lock.IsTaken && !Stripe->Lock.IsChanging && Origin.OwnHeader.IsBusy,
        "No other change uses the sequence, nor the block.");

    public void Dispose()
    {
        if (_isBusy)
            PublishUnchanged();
        Leave();
    }

    private readonly void Leave()
    {
        Stripe->Lock.Exit();
        _scope.Dispose();
    }
}
