using System;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Ports.Checking;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Tests;

/// <summary>The thread that waits for all asynchronous calls.</summary>
public sealed unsafe class PendingWorkTests : IDisposable
{
    private const int WakeEventBytes = 128;

    private readonly void* _memory = NativeMemory.AlignedAlloc(WakeEventBytes, WakeEventBytes);
    private volatile bool _isLateToCome;

    public void Dispose() => NativeMemory.AlignedFree(_memory);

    /// <summary>The thread has seen that there are no calls, and one comes just before the arena is closed.</summary>
    [LinuxFact]
    public void A_call_that_is_added_before_the_end_is_finished()
    {
        new Span<byte>(_memory, WakeEventBytes).Clear();
        var wakeEvent = new WakeEvent((byte*)_memory);
        using var seenNone = new SemaphoreSlim(0);
        var late = new Call();
        using var scope = new CrashPointScope<PortCrashPoint>(point =>
        {
            if (point != PortCrashPoint.CallsCopied || !_isLateToCome)
                return;
            _isLateToCome = false;
            uint signals = wakeEvent.Signals;
            seenNone.Release();
            Eventually.True(() => wakeEvent.Signals - signals >= 2);
        });
        var work = new PendingWork(wakeEvent, new SpinThenWait(TimeSpan.Zero));
        var first = new Call();
        work.Add(first);
        Eventually.True(() => first.IsFinished);
        _isLateToCome = true;
        wakeEvent.SignalAlways();
        Task ending = SideBySide.Start(() =>
        {
            Assert.True(seenNone.Wait(Eventually.Timeout));
            work.Add(late);
            work.End();
        });
        Assert.True(ending.Wait(Eventually.Timeout));
        Assert.True(late.IsFinished);
    }

    private sealed class Call : IPending
    {
        internal volatile bool IsFinished;

        public bool IsThere => true;

        public bool TryFinish()
        {
            IsFinished = true;
            return true;
        }

        public void CheckPeer()
        {
        }
    }
}
