using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using Xunit.Abstractions;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Whether the barriers and atomic operations of the concurrency kit do what they are there for, and are all needed.</summary>
/// <remarks>
/// A test can prove only what the machine reorders. Any one shows here what needs atomicity, an order within one thread's program, or the
/// process-wide barrier: a store overtaken by a later load, which x64 does. x64 never reorders two loads or two stores. So there the barriers
/// of <see cref="SequenceLock"/> (WriteBarrier in BeginChange, ReadBarrier in IsUnchanged), the ReadBarrier of <see cref="EventCount"/>, and
/// acquire and release everywhere are not proved: the right legs use them, but would pass without. On ARM64 the right legs try them as well.
/// </remarks>
[Collection(LitmusCollection.Name)]
public sealed class LitmusTests(ITestOutputHelper output)
{
    [Fact]
    public void What_is_reclaimed_after_quiescence_no_reader_sees() =>
        new Litmus(output, new QuiescenceLitmus(), "no-process-wide-barrier").Run(40_000);

    [Fact]
    public void A_read_that_a_sequence_lock_confirms_is_not_torn() =>
        new Litmus(output, new TornReadLitmus(), "sequence-stays-even", "sequence-not-compared").Run(40_000);

    [Fact]
    public void A_sequence_lock_excludes_other_writers() =>
        new Litmus(output, new WriterExclusionLitmus(), "lock-not-atomic").Run(40_000);

    [Fact]
    public void A_spin_lock_loses_no_increment() =>
        new Litmus(output, new LostIncrementLitmus(), "lock-not-atomic").Run(40_000);

    [Fact]
    public void A_search_that_fails_knows_of_each_transfer_that_it_may_have_missed()
    {
        // The instant between the two stores of an end is shorter than a line takes from one processor to the other.
        using var pause = new CrashPointScope<MemoryCrashPoint>(static _ => Delay.Spin(MissedTransferLitmus.PauseSteps));
        new Litmus(output, new MissedTransferLitmus(), "transfer-counted-late").Run(40_000);
    }
}
