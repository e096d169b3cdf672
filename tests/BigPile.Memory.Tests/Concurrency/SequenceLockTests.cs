using System;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using BigPile.Memory.Concurrency;

namespace BigPile.Memory.Tests.Concurrency;

public sealed class SequenceLockTests
{
    private SequenceLock _lock;

    [Fact]
    public void A_change_is_two_steps_of_the_sequence_and_no_change_is_none()
    {
        _lock.Enter();
        Assert.Equal((true, false, 0UL), (_lock.IsTaken, _lock.IsChanging, _lock.Sequence));
        _lock.BeginChange();
        Assert.Equal((true, true, 1UL), (_lock.IsTaken, _lock.IsChanging, _lock.Sequence));
        _lock.EndChange();
        Assert.Equal((true, false, 2UL), (_lock.IsTaken, _lock.IsChanging, _lock.Sequence));
        _lock.Exit();
        _lock.Enter();
        _lock.Exit();
        Assert.Equal((false, false, 2UL), (_lock.IsTaken, _lock.IsChanging, _lock.Sequence));
    }

    [Fact]
    public void A_read_is_valid_if_no_change_began()
    {
        ulong sequence = _lock.WaitUntilEven();
        _lock.Enter();
        Assert.True(_lock.IsUnchanged(sequence));
        _lock.BeginChange();
        Assert.True(SequenceLock.IsOdd(_lock.Sequence));
        Assert.False(_lock.IsUnchanged(sequence));
        _lock.EndChange();
        _lock.Exit();
        Assert.False(_lock.IsUnchanged(sequence));
        Assert.True(_lock.IsUnchanged(_lock.WaitUntilEven()));
    }

    [Fact]
    public void Readers_and_writers_wait_for_the_end_of_a_change()
    {
        _lock.Enter();
        _lock.BeginChange();
        Task<ulong> reader = SideBySide.Start(() => _lock.WaitUntilEven());
        Task writer = SideBySide.Start(() => _lock.Enter());
        Assert.False(reader.IsCompleted || writer.IsCompleted);
        _lock.EndChange();
        Eventually.True(() => reader.IsCompleted);
        Assert.Equal(2UL, reader.Result);
        Assert.False(writer.IsCompleted);
        _lock.Exit();
        Eventually.True(() => writer.IsCompleted);
        Assert.True(_lock.IsTaken);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public void Recovery_frees_the_lock_and_ends_the_change(bool isTaken, bool isChanging)
    {
        ulong before = _lock.Sequence;
        if (isTaken)
            _lock.Enter();
        if (isChanging)
            _lock.BeginChange();
        _lock.Recover();
        Assert.Equal((false, false, isChanging ? 2UL : 0UL), (_lock.IsTaken, _lock.IsChanging, _lock.Sequence));
        Assert.Equal(!isChanging, _lock.IsUnchanged(before)); // a reader that began before the change does not trust what it has read
        _lock.Enter();
        _lock.BeginChange();
        _lock.EndChange();
        _lock.Exit();
    }

    [Fact]
    public void The_sequence_wraps_around()
    {
        Words[1] = ulong.MaxValue - 1;
        _lock.Enter();
        _lock.BeginChange();
        Assert.True(_lock.IsChanging);
        _lock.EndChange();
        _lock.Exit();
        Assert.Equal(0UL, _lock.WaitUntilEven());
        Assert.False(_lock.IsUnchanged(ulong.MaxValue - 1));
    }

    [Fact]
    public void The_layout_is_the_stored_one()
    {
        Assert.Equal(2, Words.Length);
        _lock.Enter();
        Assert.Equal([1UL, 0UL], Words);
        _lock.BeginChange();
        Assert.Equal([1UL, 1UL], Words);
    }

    private Span<ulong> Words => MemoryMarshal.Cast<SequenceLock, ulong>(new Span<SequenceLock>(ref _lock));
}
