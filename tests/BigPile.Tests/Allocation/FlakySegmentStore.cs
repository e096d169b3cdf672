using System;
using System.IO;
using BigPile.Allocation;
using BigPile.Memory;

namespace BigPile.Tests.Allocation;

/// <summary>A store in memory that fails now and then, as one on a disk does.</summary>
internal sealed class FlakySegmentStore(Random random) : SegmentStore
{
    private bool _isUnsettled;

    /// <summary>One of how many calls fails; 0 for none.</summary>
    internal int FailsOneOf { get; set; }

    /// <summary>How many calls failed.</summary>
    internal int Failures { get; private set; }

    internal override StoreKind Kind => StoreKind.Native;

    internal override MemoryRegion Create(int number, long lengthBytes)
    {
        FailSometimes();
        return new NativeRegion(lengthBytes, hugePages: false);
    }

    internal override void Publish(int number, MemoryRegion region) => FailSometimes();

    internal override void Withdraw(int number, uint generation)
    {
        _isUnsettled = true;
        FailSometimes();
        _isUnsettled = false;
    }

    internal override void Reconcile()
    {
        if (_isUnsettled)
            FailSometimes();
        _isUnsettled = false;
    }

    internal override void Remove(int number) => FailSometimes();

    private void FailSometimes()
    {
        if (FailsOneOf == 0 || random.Next(FailsOneOf) != 0)
            return;
        Failures++;
        throw new IOException("The disk is full.");
    }
}
