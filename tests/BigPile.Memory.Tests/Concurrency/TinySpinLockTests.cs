using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using BigPile.Memory.Concurrency;

namespace BigPile.Memory.Tests.Concurrency;

public sealed class TinySpinLockTests
{
    private TinySpinLock _lock;

    [Fact]
    public void One_at_a_time_enters()
    {
        Assert.False(_lock.IsTaken);
        Assert.True(_lock.TryEnter());
        Assert.True(_lock.IsTaken);
        Assert.False(_lock.TryEnter());
        _lock.Exit();
        Assert.False(_lock.IsTaken);
        _lock.Enter();
        Assert.False(_lock.TryEnter());
        _lock.Exit();
        Assert.False(_lock.EnterAndReportContention());
        Assert.True(_lock.IsTaken);
    }

    [Fact]
    public void Who_waits_enters_once_the_holder_exits()
    {
        _lock.Enter();
        Task<bool> other = SideBySide.Start(() => _lock.EnterAndReportContention());
        Assert.False(other.IsCompleted);
        _lock.Exit();
        Eventually.True(() => other.IsCompleted);
        Assert.True(_lock.IsTaken);
    }

    [Fact]
    public void Neighbours_have_a_byte_each()
    {
        Assert.Equal(1, Unsafe.SizeOf<TinySpinLock>());
        var locks = new TinySpinLock[3];
        locks[1].Enter();
        Assert.Equal((false, true, false), (locks[0].IsTaken, locks[1].IsTaken, locks[2].IsTaken));
        Assert.True(locks[0].TryEnter() && locks[2].TryEnter());
        locks[1].Exit();
        Assert.Equal((true, false, true), (locks[0].IsTaken, locks[1].IsTaken, locks[2].IsTaken));
    }
}
