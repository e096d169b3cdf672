using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using Xunit.Abstractions;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Whether the atomic operations and barriers of the concurrency kit do what they are there for.</summary>
/// <remarks>
/// A test proves only what the machine reorders. Everywhere that is what needs atomicity, or the order of a thread's own steps; on x64 also
/// the process-wide barrier, since a load overtakes an earlier store there. x64 never reorders two loads or two stores. So it proves
/// nothing of the barriers of <see cref="SequenceLock"/> (WriteBarrier in BeginChange, ReadBarrier in IsUnchanged), of the ReadBarrier of
/// <see cref="EventCount"/>, nor of any acquire or release: without them the right legs would pass too. On ARM64 those legs try them.
/// </remarks>
[Collection(LitmusCollection.Name)]
public sealed class LitmusTests(ITestOutputHelper output)
{
    [Fact]
    public void What_is_reclaimed_after_quiescence_no_reader_sees() =>
        new Litmus(output, new QuiescenceLitmus(), "no-process-wide-barrier").Run();

    [Fact]
    public void A_read_that_a_sequence_lock_confirms_is_not_torn() =>
        new Litmus(output, new TornReadLitmus(), "sequence-stays-even", "sequence-not-compared").Run();

    [Fact]
    public void A_sequence_lock_excludes_other_writers() =>
        new Litmus(output, new WriterExclusionLitmus(), "lock-not-atomic").Run();

    [Fact]
    public void A_spin_lock_loses_no_increment() =>
        new Litmus(output, new LostIncrementLitmus(), "lock-not-atomic").Run();

    [Fact]
    public void A_search_that_fails_knows_of_each_transfer_that_it_may_have_missed()
    {
        // The instant between the two stores of an end is shorter than a line takes from one processor to the other.
        using var pause = new CrashPointScope<MemoryCrashPoint>(static _ => Delay.Spin(MissedTransferLitmus.PauseSteps));
        new Litmus(output, new MissedTransferLitmus(), "transfer-counted-late").Run();
    }
}
